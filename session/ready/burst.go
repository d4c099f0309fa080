package ready

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/session/input"
)

// The bounds of the wait for what a program makes of one burst before the next.
const (
	// UnreadLimit is how long a program that does not read is waited for, and
	// politeLimit the same while another call wants to type.
	UnreadLimit = 2 * time.Second
	politeLimit = 250 * time.Millisecond
	// BusyLimit is how long a program is waited for that has read its input and does
	// not come to rest, and restlessLimit the same for the rest of a call in which it
	// has not.
	BusyLimit     = time.Second
	restlessLimit = 100 * time.Millisecond
	// nearTimer is the longest timer that counts as part of the reaction: a search
	// that begins when its user pauses, a redraw that is put off. escapeTimer is the
	// same after Escape, which may be the beginning of another key: ncurses waits a
	// second for that, but not when a second Escape comes. timerSlack is how much later
	// than the Escape was seen to be read that second may end.
	nearTimer   = 300 * time.Millisecond
	escapeTimer = time.Second
	timerSlack  = 150 * time.Millisecond
	// pasteWindow is how long a program that has asked for pastes may take an Enter
	// after text for a part of one that came without brackets: the Gemini CLI for
	// 30 ms, Codex for 120. Nothing tells how long; a person's Enter comes later.
	pasteWindow = 150 * time.Millisecond
)

// Handled returns the reaction that has read and handled the input after a byte of output.
func Handled(from int64) Reaction { return Reaction{From: from, Limit: BusyLimit} }

// Whole returns the whole reaction to the input after a byte of output, which may take as
// long as limit once the input was read.
func Whole(from int64, limit time.Duration) Reaction {
	return Reaction{From: from, Full: true, Near: nearTimer, Limit: limit}
}

// Between returns the reaction to a burst of kind a that is waited for before one of kind b
// follows; pastes says that the program has asked for bracketed pastes.
func Between(a, b input.Kind, pastes bool, from int64) Reaction {
	r := Whole(from, BusyLimit)
	switch {
	case a == input.KeyBurst || a == input.CharBurst && b == input.CharBurst || b == input.TextBurst && a != input.EnterBurst && a != input.EscapeBurst:
		r = Handled(from)
	case a == input.EscapeBurst && b != input.EscapeBurst:
		r.Near, r.Limit = escapeTimer, escapeTimer+timerSlack
	}
	if pastes && a.Prints() && b == input.EnterBurst {
		r.Window = pasteWindow
	}
	return r
}

// Hurry shortens r for a program that does not come to rest.
func (r *Reaction) Hurry() { r.Limit = restlessLimit + r.Window }

// Late reports whether r, which was awaited for a time, is awaited no longer; wanted says
// that another call wants to type.
func (r *Reaction) Late(now time.Time, waited time.Duration, wanted bool) bool {
	switch {
	case !r.Read.IsZero():
		return now.Sub(r.Read) >= r.Limit
	case wanted:
		return waited >= politeLimit
	}
	return waited >= max(UnreadLimit, r.Limit)
}

// InField reports whether two neighbouring characters of typed have come onto the screen,
// whose text was before and is after: then they stand in an input field.
func InField(typed, before, after string) bool {
	for typed != "" {
		_, first := utf8.DecodeRuneInString(typed)
		_, second := utf8.DecodeRuneInString(typed[first:])
		if second == 0 {
			return false
		}
		if pair := typed[:first+second]; strings.Count(after, pair) > strings.Count(before, pair) {
			return true
		}
		typed = typed[first:]
	}
	return false
}
