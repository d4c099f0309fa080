package guard

import (
	"strings"

	"github.com/glasstty/glasstty/session/kernel"
)

// deedOf returns the effect of a key on the line, with the terminal's own effect on some
// keys: in line mode only the terminal edits the line. deed is the key's effect in line
// editors, char the character that it sends, 0 for a control sequence.
func deedOf(t *kernel.TTY, deed Deed, char rune) Deed {
	switch {
	case !t.Known:
		return deed
	case char == 0:
		if t.Canonical && deed != Submits {
			return Unforeseen
		}
		return deed
	case char == rune(t.Stop) || char == rune(t.Start):
		return Passes
	case t.Canonical:
		return lineModeDeed(t, char)
	case strings.ContainsRune(t.Line.Taken, char) && char >= ' ' && char != 0x7f:
		return Unforeseen // line editors adopt these characters from stty
	}
	return deed
}

// lineModeDeed is deedOf in line mode.
func lineModeDeed(t *kernel.TTY, char rune) Deed {
	l := &t.Line
	switch char {
	case rune(t.Interrupt):
		if l.Flushes {
			return Abandons
		}
	case rune(t.Quit), rune(t.Suspend):
		if l.Flushes {
			return Flushes
		}
	case rune(l.Kill):
		return Flushes
	case rune(l.Erase):
		return Erases
	case rune(l.EOF):
		return HandsOver
	case '\r', '\n':
		return Submits
	default:
		if char >= ' ' && char != 0x7f && !strings.ContainsRune(l.Taken, char) {
			return Inserts
		}
	}
	return Unforeseen
}
