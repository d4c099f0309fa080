package runes_test

import (
	"testing"

	"github.com/glasstty/glasstty/internal/runes"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"},
		{"aé", 2, "a…"}, {"日本", 3, "日…"}, {"日本", 5, "日…"}, {"a\xffbc", 3, "ab…"},
	} {
		if got := runes.Clip(c.in, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestIsInvisible(t *testing.T) {
	for r, want := range map[rune]bool{
		'a': false, ' ': false, '日': false, '\u0301': false, '\u200d': false, '\n': true, 0x1b: true, 0x9b: true,
		'\u200b': true, '\u202e': true, '\u2028': true, '\u2029': true,
	} {
		if got := runes.IsInvisible(r); got != want {
			t.Errorf("IsInvisible(%U) = %v, want %v", r, got, want)
		}
	}
}

func TestCompleteLen(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, "abc": 3, "é": 2, "\xc3": 0, "a\xc3": 1, "日": 3, "a\xe6\x97": 1,
		"\xf0\x9f\x98": 0, "😀": 4, "\xff": 1, "\x80\x80\x80\x80": 4, "a\xe6b": 3,
	} {
		if got := runes.CompleteLen([]byte(in)); got != want {
			t.Errorf("CompleteLen(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{"": "", "a é 日": "a é 日", "\x1b[m\n": "\uFFFD[m\uFFFD", "a\xff\xfeb": "a\uFFFDb", "\u202e": "\uFFFD"} {
		if got := runes.ReplaceUnprintable(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
