package emulator

import (
	"testing"
	"unicode"
)

// TestRuneWidth compares with the widths of glibc 2.36. When updating to
// another Unicode version, compare all widths with a C program that prints
// wcwidth in the locale C.UTF-8.
func TestRuneWidth(t *testing.T) {
	for _, c := range []struct {
		r    rune
		want int
	}{
		{0x00, 0}, {0x1B, 0}, {0x7F, 0}, {0x9B, 0}, {'a', 1}, {'~', 1}, {0xA0, 1}, {0xAD, 1}, {'é', 1},
		{0x300, 0}, {0x061C, 0}, {0x1100, 2}, {0x1160, 0}, {0x200B, 0}, {0x200D, 0}, {0x2028, 0},
		{0x2060, 0}, {0x2501, 1}, {0x2588, 1}, {0x2630, 1}, {0x2764, 1}, {0x2B50, 2}, {0x3000, 2},
		{0x3099, 0}, {0x3248, 2}, {'日', 2}, {'한', 2}, {0xD7B0, 0}, {0xE0B0, 1}, {0xFE0F, 0},
		{0xFF21, 2}, {0xFF71, 1}, {0xFFFD, 1}, {0x1D165, 1}, {0x1D300, 1}, {0x1F600, 2}, {0x1F3FB, 2},
		{0x1F1E6, 1}, {0x20000, 2}, {0xE0001, 0}, {0xF0000, 1}, {0x10FFFD, 1},
	} {
		if got := runeWidth(c.r); got != c.want {
			t.Errorf("runeWidth(%U) = %d, want %d", c.r, got, c.want)
		}
	}
}

// TestShortWidths checks that runeWidth, which has fast paths, agrees with the
// tables for every rune.
func TestShortWidths(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if got, want := runeWidth(r), slowWidth(r); got != want {
			t.Fatalf("runeWidth(%U) = %d, want %d as in the tables", r, got, want)
		}
	}
}
