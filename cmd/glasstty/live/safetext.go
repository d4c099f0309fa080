package live

import (
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
)

// The maximum lengths of short texts, such as titles and names, and of lines that a person is
// asked to approve, in bytes before characters are replaced.
const (
	maxShown = 200
	maxLine  = 4 << 10
)

// safeText makes text from a program or an agent safe to show next to our own text. It clips the
// text after limit bytes, and replaces characters that could hide or reorder their neighbours,
// except newlines and tabs, with U+FFFD.
func safeText(text string, limit int) string {
	text = strings.ToValidUTF8(runes.Clip(text, limit), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && runes.IsInvisible(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
