package emulator

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// The flags of the kitty keyboard protocol ("Progressive enhancement"). Event
// types need nothing here: a press is reported as before.
const (
	kittyDisambiguate = 1 << iota
	kittyEventTypes
	kittyAlternates
	kittyAllKeys
	kittyText
)

// Key numbers of the kitty protocol's table "Functional key definitions".
const (
	kittyF13 = 57376
	kittyKP0 = 57399
)

// kittyKey encodes k by the kitty keyboard protocol
// (sw.kovidgoyal.net/kitty/keyboard-protocol), with Disambiguate or Report all
// keys set.
func kittyKey(k Key, m Modes) []byte {
	if s, ok := keySeqs(k.Code); ok {
		return kittyFunction(k, s)
	}
	switch {
	case k.Code > KeyF1+11 && k.Code <= KeyF24:
		return kittyCSI(kittyF13+int(k.Code-KeyF1)-12, 0, k.Mods, 0)
	case isKeypad(k.Code):
		return kittyKeypad(k, m)
	case k.Code == KeyRune:
		return kittyRune(k, m)
	}
	return kittyControl(k, m)
}

// kittyFunction encodes a key that the protocol keeps in its old form. DECCKM
// has no say, F1 to F4 are sent with CSI, and F3 as CSI 13 ~, since CSI R is a
// cursor position report.
func kittyFunction(k Key, s keySeq) []byte {
	if k.Code == KeyF1+2 {
		s = keySeq{13, '~', formCSI}
	}
	if s.form == formSS3 {
		s.form = formCursor
	}
	return s.encode(k.Mods, false)
}

// kittyControl encodes Enter, Tab, Backspace and Escape. The first three stay
// as they were without modifiers, so that a shell can be used after a program
// left the mode on, unless all keys are to be reported.
func kittyControl(k Key, m Modes) []byte {
	if k.Code != KeyEscape && k.Mods == 0 && m.KittyFlags&kittyAllKeys == 0 {
		return characterKey(k, m)
	}
	code := 0
	switch k.Code {
	case KeyEnter:
		code = '\r'
	case KeyTab:
		code = '\t'
	case KeyEscape:
		code = keyESC
	case KeyBackspace:
		code = keyDEL
	}
	return kittyCSI(code, 0, k.Mods, 0)
}

// kittyKeypad encodes a key of the numeric keypad: a key of its own, unless it
// types text and text is not to be reported as keys.
func kittyKeypad(k Key, m Modes) []byte {
	i := int(k.Code - KeyKP0)
	all := m.KittyFlags&kittyAllKeys != 0
	if k.Code != KeyKPEnter && k.Mods&^Shift == 0 && !all {
		return []byte{keypadChars[i]}
	}
	text := rune(0)
	if all && m.KittyFlags&kittyText != 0 && k.Code != KeyKPEnter && k.Mods&^Shift == 0 {
		text = rune(keypadChars[i])
	}
	return kittyCSI(kittyKP0+i, 0, k.Mods, text)
}

// kittyRune encodes a key that types a character: as text where it types text,
// else by its code without Shift. A character other than a letter stands for a
// key that types it without Shift, as on some layout it is.
func kittyRune(k Key, m Modes) []byte {
	if low := unicode.ToLower(k.Rune); low != k.Rune {
		k.Rune, k.Mods = low, k.Mods|Shift
	}
	typed, all := typedRune(k), m.KittyFlags&kittyAllKeys != 0
	typesText := k.Mods&^Shift == 0
	if typesText && !all {
		return utf8.AppendRune(nil, typed)
	}
	shifted, text := rune(0), rune(0)
	if m.KittyFlags&kittyAlternates != 0 && typed != k.Rune {
		shifted = typed
	}
	if all && m.KittyFlags&kittyText != 0 && typesText {
		text = typed
	}
	return kittyCSI(int(k.Rune), shifted, k.Mods, text)
}

// kittyCSI returns CSI code : shifted ; modifiers ; text u, leaving out what is
// zero.
func kittyCSI(code int, shifted rune, mods Mods, text rune) []byte {
	out := strconv.AppendInt([]byte(keyCSI), int64(code), 10)
	if shifted != 0 {
		out = strconv.AppendInt(append(out, ':'), int64(shifted), 10)
	}
	if mods != 0 || text != 0 {
		out = append(out, ';')
	}
	if mods != 0 {
		out = strconv.AppendInt(out, int64(mods.param()), 10)
	}
	if text != 0 {
		out = strconv.AppendInt(append(out, ';'), int64(text), 10)
	}
	return append(out, 'u')
}
