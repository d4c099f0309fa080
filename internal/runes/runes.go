// Package runes cuts text at character boundaries, and finds the characters that could hide or
// reorder others. Its functions may be called concurrently.
package runes

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hides reports whether a character shows nothing itself and could hide or reorder its
// neighbours: control and format characters, and those that end a line or a paragraph. The
// zero width joiner does not count: it joins emoji.
func Hides(r rune) bool {
	return r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// ReplaceUnprintable returns s with U+FFFD for each run of invalid bytes and for each character that
// cannot be printed.
func ReplaceUnprintable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Clip returns s if it has at most n bytes. Otherwise it returns the first n bytes and "…", without
// invalid bytes or a character that would be cut.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// CompleteLen returns the length of p without an incomplete UTF-8 character at its end. Invalid
// bytes count as complete.
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
