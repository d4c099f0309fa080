package live

import (
	"strings"
	"unicode"

	"github.com/glasstty/glasstty/internal/runes"
)

// maxShown bounds a program's text outside its screen, such as a title, in bytes,
// and maxLine a line that a person is asked about.
const (
	maxShown = 200
	maxLine  = 4 << 10
)

// shown returns a text that a program or an agent has chosen as a person may see
// it beside our own words: not longer than limit bytes, and without characters
// that hide or turn round what stands next to them. Those become U+FFFD.
func shown(text string, limit int) string {
	text = strings.ToValidUTF8(runes.Clip(text, limit), "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)) {
			return '\uFFFD'
		}
		return r
	}, text)
}
