package guard

import (
	"strings"

	"github.com/glasstty/glasstty/session/kernel"
)

// effectOf returns the effect of a key on the line, with the terminal's settings t. The terminal handles
// some keys itself, and in line mode only the terminal edits the line. effect is the key's effect in line
// editors; char is the character that the key sends, or 0 if it sends a control sequence.
func effectOf(t *kernel.TTY, effect Effect, char rune) Effect {
	switch {
	case !t.Known:
		return effect
	case char == 0:
		if t.Canonical && effect != Submits {
			return Unpredictable
		}
		return effect
	case char == rune(t.Stop) || char == rune(t.Start):
		return Passes
	case t.Canonical:
		return lineModeEffect(t, char)
	case strings.ContainsRune(t.Line.Special, char) && char >= ' ' && char != 0x7f:
		return Unpredictable // line editors adopt these characters from stty
	}
	return effect
}

// lineModeEffect returns the effect of a key in line mode.
func lineModeEffect(t *kernel.TTY, char rune) Effect {
	l := &t.Line
	switch char {
	case rune(t.Interrupt):
		if l.Flushes {
			return Abandons
		}
	case rune(t.Quit), rune(t.Suspend):
		if l.Flushes {
			return Discards
		}
	case rune(l.Kill):
		return Discards
	case rune(l.Erase):
		return Erases
	case rune(l.EOF):
		return HandsOver
	case '\r', '\n':
		return Submits
	default:
		if char >= ' ' && char != 0x7f && !strings.ContainsRune(l.Special, char) {
			return Inserts
		}
	}
	return Unpredictable
}
