package emulator

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A keySeq is the sequence of a function, cursor or editing key: CSI num final, or CSI
// num ; modifiers final (xterm ctlseqs, "PC-Style Function Keys").
type keySeq struct {
	num   int // 1 in formCursor and formSS3, which have no number without modifiers
	final byte
	form  keyForm
}

// keyForm is the form of a key's sequence without modifiers.
type keyForm uint8

const (
	formCSI    keyForm = iota // CSI num final
	formCursor                // CSI final, or SS3 final while DECCKM is set
	formSS3                   // SS3 final, always: PF1 to PF4
)

// keySeqOf returns the sequence of a key that types no character. It returns false for other
// keys, and for F13 to F24.
func keySeqOf(c KeyCode) (keySeq, bool) {
	for _, r := range keyTable {
		if r.code == c {
			return r.seq, r.seq.final != 0
		}
	}
	return keySeq{}, false
}

// encode returns the sequence of the key with mods. If there are modifiers, the sequence begins
// with CSI, regardless of DECCKM (xterm's modifyCursorKeys and modifyFunctionKeys at their
// default, 2).
func (s keySeq) encode(mods Mods, appCursor bool) []byte {
	switch {
	case mods != 0:
		return fmt.Appendf(nil, "\x1b[%d;%d%c", s.num, mods.param(), s.final)
	case s.form == formSS3, s.form == formCursor && appCursor:
		return []byte{esc, 'O', s.final}
	case s.form == formCursor:
		return []byte{esc, '[', s.final}
	default:
		return fmt.Appendf(nil, "\x1b[%d%c", s.num, s.final)
	}
}

// xtermKey encodes k as xterm does, including modifyOtherKeys. F13 to F24 are F1 to F12
// with Shift, as in the terminfo entry xterm-256color.
func xtermKey(k Key, m Modes) []byte {
	if k.Code > KeyF1+11 && k.Code <= KeyF24 {
		k = Key{Code: k.Code - 12, Mods: k.Mods | Shift}
	}
	if s, ok := keySeqOf(k.Code); ok {
		return s.encode(k.Mods, m.AppCursor)
	}
	if isKeypad(k.Code) {
		return keypadKey(k, m)
	}
	if out, ok := modifyOtherKey(k, m); ok {
		return out
	}
	return characterKey(k, m)
}

// characterKey encodes a key that types a character. With Ctrl, the key types a control
// character. By default, Alt puts ESC before the character (xterm with metaSendsEscape); modes
// 1034 and 1036 select other effects of Alt (see MetaForm).
func characterKey(k Key, m Modes) []byte {
	if k.Code == KeyTab && k.Mods&Shift != 0 { // terminfo kcbt; Alt adds no ESC, as in xterm
		return []byte("\x1b[Z")
	}
	var out []byte
	if k.Mods&Alt != 0 && m.Meta == MetaEscape {
		out = append(out, esc)
	}
	r := typedRune(k, m)
	if k.Code == KeyRune && k.Mods&Ctrl != 0 {
		r = controlRune(r)
	}
	if k.Code == KeyRune && k.Mods&Alt != 0 && m.Meta == MetaEightBit && r < 0x80 {
		r |= 0x80 // a character, which takes two bytes in UTF-8
	}
	out = utf8.AppendRune(out, r)
	if k.Code == KeyEnter && m.NewLine { // LNM, ANSI mode 20: Return sends CR LF
		out = append(out, '\n')
	}
	return out
}

// typedRune returns the character that k types, with Shift applied but not Ctrl. Backspace
// types DEL, or BS while DECBKM is set (xterm ctlseqs, mode 67); Ctrl selects the other one.
func typedRune(k Key, m Modes) rune {
	switch k.Code {
	case KeyEnter:
		return '\r'
	case KeyTab:
		return '\t'
	case KeyEscape:
		return esc
	case KeyBackspace:
		if m.BackarrowSendsBS != (k.Mods&Ctrl != 0) {
			return '\b'
		}
		return del
	}
	if k.Mods&Shift != 0 {
		return shiftRune(k.Rune)
	}
	return k.Rune
}

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

// controlRune returns the character that Ctrl makes of r, by the rule of X (Xlib
// programming manual, XLookupString). Characters from @ to ~ lose their upper bits.
// Space, 2 to 8 and / send the control characters that are hard to reach on a US
// keyboard. Ctrl+? is DEL, as in xterm. Other characters are unchanged.
func controlRune(r rune) rune {
	switch {
	case r == '?', r == '8':
		return del
	case r == '/':
		return 0x1f
	case r == ' ', r == '2':
		return 0
	case r >= '3' && r <= '7':
		return r - '3' + esc
	case r >= '@' && r < del:
		return r & 0x1f
	default:
		return r
	}
}

// isKeypad reports whether c is a key of the numeric keypad.
func isKeypad(c KeyCode) bool { return c >= KeyKP0 && c <= KeyKPSeparator }

// keypadChars and keypadFinals are the characters of the keypad's keys and the finals of
// their SS3 sequences, in the order of the key codes from KeyKP0 (xterm ctlseqs,
// "VT220-Style Function Keys", keypad table).
const (
	keypadChars  = "0123456789./*-+\r=,"
	keypadFinals = "pqrstuvwxynojmkMXl"
)

// keypadKey encodes a key of the numeric keypad: its character without modifiers, or an SS3
// sequence while DECKPAM is set.
func keypadKey(k Key, m Modes) []byte {
	i := int(k.Code - KeyKP0)
	switch {
	case m.AppKeypad && k.Mods != 0:
		return fmt.Appendf(nil, "\x1bO%d%c", k.Mods.param(), keypadFinals[i])
	case m.AppKeypad:
		return []byte{esc, 'O', keypadFinals[i]}
	case k.Code == KeyKPEnter && m.NewLine:
		return []byte("\r\n")
	default:
		return []byte{keypadChars[i]}
	}
}
