package emulator

import (
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
)

// runeWidth returns the number of cells of r: 0 for controls and combining characters, 2 for
// East Asian wide characters and emoji presentation, and 1 for all others. For every assigned
// character, it agrees with wcwidth of glibc 2.36, which readline uses. It does not depend on
// the locale: ambiguous characters are narrow.
func runeWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7F, r >= 0xA0 && r < 0x300:
		return 1
	case r >= 0x3220 && r <= 0xA48C, r >= 0xAC00 && r <= 0xD7A3: // Han, Hangul
		return 2
	case r >= 0x3041 && r <= 0x3096, r >= 0x309B && r <= 0x30FF, // kana
		r >= 0x3001 && r <= 0x3029, r >= 0xFF01 && r <= 0xFF60, // punctuation, full width
		r >= 0x1F442 && r <= 0x1F4FC, r >= 0x1F600 && r <= 0x1F64F, r >= 0x1F947 && r <= 0x1F9FF: // emoji
		return 2
	case r >= 0x2500 && r <= 0x259F, r >= 0xE000 && r <= 0xF8FF: // lines, icons
		return 1
	}
	return slowWidth(r)
}

// slowWidth is runeWidth without the fast paths for common characters.
func slowWidth(r rune) int {
	i := sort.Search(len(widthExceptions), func(i int) bool { return widthExceptions[i].hi >= r })
	if i < len(widthExceptions) && widthExceptions[i].lo <= r {
		return widthExceptions[i].width
	}
	c := runewidth.Condition{StrictEmojiNeutral: true}
	return c.RuneWidth(r)
}

// widthExceptions lists the widths in glibc's wcwidth that differ from package runewidth: most
// format characters and conjoining Hangul have width 0, some enclosed numbers have width 2, and
// symbols that became wide in Unicode 16 are narrow, as in the width tables that programs use.
var widthExceptions = []struct {
	lo, hi rune
	width  int
}{
	{0x00AD, 0x00AD, 1},
	{0x061C, 0x061C, 0},
	{0x070F, 0x070F, 1},
	{0x1160, 0x11FF, 0},
	{0x2060, 0x2064, 0},
	{0x2066, 0x2069, 0},
	{0x2630, 0x2637, 1},
	{0x268A, 0x268F, 1},
	{0x3248, 0x324F, 2},
	{0xD7B0, 0xD7C6, 0},
	{0xD7CB, 0xD7FB, 0},
	{0x1171E, 0x1171E, 0},
	{0x13430, 0x13438, 0},
	{0x1BCA0, 0x1BCA3, 0},
	{0x1D165, 0x1D166, 1},
	{0x1D16D, 0x1D172, 1},
	{0x1D173, 0x1D17A, 0},
	{0x1D300, 0x1D356, 1},
	{0x1D360, 0x1D376, 1},
	{0xE0001, 0xE0001, 0},
	{0xE0020, 0xE007F, 0},
}

// clusterWidth returns the number of cells of a grapheme cluster while mode 2027 (grapheme
// clusters) is set. As in kitty, Ghostty and WezTerm, an emoji that ends with VS15 is narrow,
// because VS15 requests the text form.
func clusterWidth(s string) int {
	if w := min(ansi.StringWidth(s), 2); w < 2 || !strings.HasSuffix(s, "\ufe0e") {
		return w
	}
	return 1
}

// oneCluster reports whether s is a single grapheme cluster (UAX 29).
func oneCluster(s string) bool {
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(c) == len(s)
}
