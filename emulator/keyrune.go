package emulator

import (
	"strings"
	"unicode"
)

// The characters of the keys of a US keyboard, plain and with Shift. On a key that is
// not listed, Shift only makes letters upper case.
const (
	usPlain   = "`1234567890-=[]\\;',./"
	usShifted = "~!@#$%^&*()_+{}|:\"<>?"
)

// shiftRune returns the character that Shift makes of r.
func shiftRune(r rune) rune {
	if u := unicode.ToUpper(r); u != r {
		return u
	}
	if i := strings.IndexRune(usPlain, r); i >= 0 {
		return rune(usShifted[i])
	}
	return r
}

// typedRune returns the character that k types, with Shift applied but not Ctrl.
func typedRune(k Key) rune {
	if k.Mods&Shift != 0 {
		return shiftRune(k.Rune)
	}
	return k.Rune
}
