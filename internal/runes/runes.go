// Package runes cuts text at the borders of characters: to bound what an error
// repeats, and to hold back a character whose last bytes have not come yet. Its
// functions may be called concurrently.
package runes

import (
	"strings"
	"unicode/utf8"
)

// Clip returns s, or its first n bytes and … where s is longer. A character
// that n cuts is left out.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// Whole returns how many bytes of p come before a character of UTF-8 that is cut
// off at p's end: all of them where none is. Bytes that can become no character
// are whole.
func Whole(p []byte) int {
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
