package emulator

import (
	"strings"
	"unicode"
)

// The characters of a US keyboard's keys, plain and with Shift. Layouts differ
// in this; a key that is not here keeps its character.
const (
	usPlain   = "`1234567890-=[]\\;',./"
	usShifted = "~!@#$%^&*()_+{}|:\"<>?"
)

// shiftRune returns what Shift makes of r.
func shiftRune(r rune) rune {
	if u := unicode.ToUpper(r); u != r {
		return u
	}
	if i := strings.IndexRune(usPlain, r); i >= 0 {
		return rune(usShifted[i])
	}
	return r
}

// typedRune returns the character that k types before Control is applied.
func typedRune(k Key) rune {
	if k.Mods&Shift != 0 {
		return shiftRune(k.Rune)
	}
	return k.Rune
}
