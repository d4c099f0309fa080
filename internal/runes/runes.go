// Package runes cuts text at character boundaries, and finds characters that cannot be seen. Its
// functions may be called concurrently.
package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsInvisible reports whether r is a control or format character, or a line or paragraph separator.
// Such a character shows nothing, but could hide or reorder its neighbours. IsInvisible returns false
// for the zero width joiner, which joins emoji.
func IsInvisible(r rune) bool {
	return r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// ReplaceUnprintable replaces each run of invalid bytes in s, and each character that cannot be
// printed, with U+FFFD.
func ReplaceUnprintable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Clip returns s if it has at most n bytes. Otherwise it returns the complete characters in the first
// n bytes, without invalid bytes, followed by "…".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// CompleteLen returns the length of p without an incomplete UTF-8 character at its end. It treats
// invalid bytes as complete.
func CompleteLen(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return len(p) - n
			}
			break
		}
	}
	return len(p)
}
