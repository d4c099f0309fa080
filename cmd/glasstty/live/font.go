package live

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/glasstty/glasstty/emulator/picture"
	"github.com/glasstty/glasstty/internal/subset"
)

// common are the first and last characters of the ranges that a page loads at once: what
// most programs print. The others of the font come when a program prints one of them.
// The style sheet has the same ranges.
var common = [][2]rune{
	{' ', '~'}, {0xa0, 0xff}, // Latin 1
	{0x2010, 0x2027}, {0x20ac, 0x20ac}, {0x2190, 0x2193}, // punctuation, euro, arrows
	{0x2500, 0x25a1}, {0x25b2, 0x25cf}, // boxes, blocks, triangles and circles
	{0x2713, 0x2718}, // ticks and crosses
}

// font returns a face of the built-in font: font/bold.ttf has the common characters, and
// font/bold-all.ttf all of them.
func font(name string) ([]byte, error) {
	style, all := strings.CutSuffix(strings.TrimSuffix(strings.TrimPrefix(name, "font/"), ".ttf"), "-all")
	var data []byte
	switch style {
	case "regular", "bold", "italic", "bolditalic":
		data = picture.Font(strings.Contains(style, "bold"), strings.Contains(style, "italic"))
	default:
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	if all {
		return data, nil
	}
	return subset.Font(data, isCommon)
}

// isCommon reports whether a character is among the common ones.
func isCommon(r rune) bool {
	for _, c := range common {
		if r >= c[0] && r <= c[1] {
			return true
		}
	}
	return false
}
