package ready

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/session/input"
)

// Limits on how long a burst waits for the program's reaction to the previous burst.
const (
	// UnreadLimit is how long to wait for a program that does not read its input. shortLimit
	// replaces UnreadLimit while another call wants to type. It also does so before an interrupt: a line
	// editor that does not return to its read may be stuck, and perhaps only the interrupt can help.
	UnreadLimit = 2 * time.Second
	shortLimit  = 250 * time.Millisecond
	// BusyLimit is how long to wait for a program that has read its input and stays busy.
	// Once a call has waited that long, repeatedLimit applies to the rest of its bursts.
	BusyLimit     = time.Second
	repeatedLimit = 100 * time.Millisecond
	// reactionTimer is the longest timer that counts as part of the reaction: a search that
	// begins when the user pauses, or a delayed redraw. Escape may be the beginning of another key,
	// and ncurses waits one second for the rest of the key, but not if another Escape follows. So
	// after Escape, unless another one follows, escapeTimer replaces reactionTimer, and the reaction
	// may take escapeTimer+timerSlack after the Escape was read.
	reactionTimer = 300 * time.Millisecond
	escapeTimer   = time.Second
	timerSlack    = 150 * time.Millisecond
	// If a program has asked for bracketed paste, Enter after text is sent only when the program has
	// handled the text for pasteWindow: a program may take an Enter that comes sooner (30 ms in the
	// Gemini CLI, 120 ms in Codex) for a line break in pasted text. Its own limit cannot be observed.
	pasteWindow = 150 * time.Millisecond
)

// UntilHandled returns a reaction that is over when the program has read and handled the input.
// before is the number of bytes of output before the input.
func UntilHandled(before int64) Reaction {
	return Reaction{OutputBefore: before, Limit: BusyLimit}
}

// UntilFinished returns a reaction that is over when the program has done what the input asked
// for. before is the number of bytes of output before the input, and limit how long the reaction
// may take after the input was read.
func UntilFinished(before int64, limit time.Duration) Reaction {
	return Reaction{OutputBefore: before, Finish: true, MaxTimer: reactionTimer, Limit: limit}
}

// BetweenBursts returns the reaction to wait for between a burst of kind a and one of kind b.
// pastes says that the program has asked for bracketed paste, and before is the number of bytes
// of output before the first of the two bursts.
func BetweenBursts(a, b input.Kind, pastes bool, before int64) Reaction {
	r := UntilFinished(before, BusyLimit)
	switch {
	case a == input.KeyBurst || a == input.CharBurst && b == input.CharBurst || b == input.TextBurst && a != input.EnterBurst && a != input.EscapeBurst:
		r = UntilHandled(before)
	case a == input.EscapeBurst && b != input.EscapeBurst:
		r.MaxTimer, r.Limit = escapeTimer, escapeTimer+timerSlack
	}
	if pastes && a.Prints() && b == input.EnterBurst {
		r.PasteWindow = pasteWindow
	}
	return r
}

// Shorten lowers r.Limit. It is called if the program was still busy at the end of an earlier limit.
func (r *Reaction) Shorten() { r.Limit = repeatedLimit + r.PasteWindow }

// TimedOut reports whether the time for r is over. waited is the time since the wait for r began,
// and wanted says that another call wants to type.
func (r *Reaction) TimedOut(now time.Time, waited time.Duration, wanted bool) bool {
	switch {
	case !r.ReadAt.IsZero():
		return now.Sub(r.ReadAt) >= r.Limit
	case wanted || r.ForInterrupt:
		return waited >= shortLimit
	}
	return waited >= max(UnreadLimit, r.Limit)
}

// InField reports whether typed goes into an input field: some pair of neighbouring characters of
// typed occurs more often in after, the present text of the screen, than in before, its earlier text.
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
