package emulator

import (
	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
)

// softHyphen is shown by xterm and counted as one cell by glibc's wcwidth,
// although Unicode calls it a format character.
const softHyphen = 0xAD

// runeWidth returns how many cells r takes as xterm's wcwidth counts: 0 for
// controls and combining characters, 2 for East Asian wide and emoji
// presentation characters, 1 for all else. The locale has no say: ambiguous
// characters are narrow.
func runeWidth(r rune) int {
	if r >= 0x20 && r < 0x7F {
		return 1
	}
	if r == softHyphen {
		return 1
	}
	c := runewidth.Condition{StrictEmojiNeutral: true}
	return c.RuneWidth(r)
}

// clusterWidth returns how many cells a grapheme cluster takes while mode 2027
// is set.
func clusterWidth(s string) int { return min(ansi.StringWidth(s), 2) }

// oneCluster reports whether s is a single grapheme cluster (UAX 29).
func oneCluster(s string) bool {
	c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(c) == len(s)
}
