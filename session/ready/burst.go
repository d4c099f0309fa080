package ready

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/session/input"
)

// Limits on the wait for a program's reaction to one burst before the next.
const (
	// UnreadLimit is how long to wait for a program that does not read, and politeLimit how
	// long while another call wants to type.
	UnreadLimit = 2 * time.Second
	politeLimit = 250 * time.Millisecond
	// BusyLimit is how long to wait for a program that has read its input and stays busy, and
	// restlessLimit how long in the rest of a call in which the program has stayed busy.
	BusyLimit     = time.Second
	restlessLimit = 100 * time.Millisecond
	// deafLimit is how long an interrupt waits for a line editor to return to its read. It is
	// short because the editor may be stuck, and then only the interrupt helps.
	deafLimit = 250 * time.Millisecond
	// nearTimer is the longest timer that counts as part of the reaction: a search that
	// begins when the user pauses, or a delayed redraw. escapeTimer is its value after Escape,
	// which may be the beginning of another key: ncurses waits one second for the rest of the
	// key, but not if another Escape follows. timerSlack is how late that wait may end,
	// counted from when the Escape was seen to be read.
	nearTimer   = 300 * time.Millisecond
	escapeTimer = time.Second
	timerSlack  = 150 * time.Millisecond
	// pasteWindow is how long after text a program that has asked for bracketed paste may
	// take an Enter for a part of a paste without brackets: 30 ms in the Gemini CLI, 120 ms in
	// Codex. The time cannot be observed; a person's Enter comes later.
	pasteWindow = 150 * time.Millisecond
)

// Handled returns a reaction that is over when the program has read and handled the input.
// from is the number of bytes of output before the input.
func Handled(from int64) Reaction { return Reaction{From: from, Limit: BusyLimit} }

// Whole returns the whole reaction to the input. from is the number of bytes of output before
// the input, and limit how long the reaction may take after the input was read.
func Whole(from int64, limit time.Duration) Reaction {
	return Reaction{From: from, Full: true, Near: nearTimer, Limit: limit}
}

// Between returns the reaction to wait for between a burst of kind a and one of kind b;
// pastes says that the program has asked for bracketed paste.
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

// Interruptible returns a reaction that is over when a line editor can be interrupted.
func Interruptible() Reaction { return Reaction{Breaks: true, Limit: deafLimit} }

// Hurry shortens r for a program that stays busy.
func (r *Reaction) Hurry() { r.Limit = restlessLimit + r.Window }

// Late reports whether the time for r is over; wanted says that another call wants to type.
func (r *Reaction) Late(now time.Time, waited time.Duration, wanted bool) bool {
	switch {
	case r.Breaks:
		return waited >= r.Limit
	case !r.Read.IsZero():
		return now.Sub(r.Read) >= r.Limit
	case wanted:
		return waited >= politeLimit
	}
	return waited >= max(UnreadLimit, r.Limit)
}

// InField reports whether a screen whose text changed from before to after shows two
// neighbouring characters of typed, so that they are in an input field.
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
