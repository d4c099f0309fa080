package live

import (
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
)

// maxShown is the maximum length in bytes of a program's text outside its screen, such as a
// title, and maxLine that of a line that a person is asked to approve.
const (
	maxShown = 200
	maxLine  = 4 << 10
)

// shown makes text that a program or an agent has chosen safe to show next to our own text. It
// clips the text to limit bytes, and replaces characters that could hide or reorder their
// neighbours with U+FFFD.
func shown(text string, limit int) string {
	text = strings.ToValidUTF8(runes.Clip(text, limit), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && runes.Hides(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
