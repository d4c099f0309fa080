package live

import (
	"strings"

	"github.com/glasstty/glasstty/internal/runes"
)

// Maximum lengths of texts, in bytes before characters are replaced.
const (
	maxShown = 200     // of short texts, such as titles and names
	maxLine  = 4 << 10 // of lines, such as those that a person is asked to approve
)

// safeText makes text from a program or an agent safe to show next to our own text. It clips the
// text after limit bytes, and replaces invalid UTF-8 and characters that could hide or reorder their
// neighbours, except newlines and tabs, with U+FFFD.
func safeText(text string, limit int) string {
	text = strings.ToValidUTF8(runes.Clip(text, limit), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && runes.IsInvisible(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}
