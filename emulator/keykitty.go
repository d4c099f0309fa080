package emulator

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// The flags of the kitty keyboard protocol ("Progressive enhancement").
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
		return kittyCSI(kittyF13+int(k.Code-KeyF1)-12, 0, k, 0)
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
	if event := k.eventParam(); event != "" {
		out := strconv.AppendInt(append(csiParams(s.num), ';'), int64(k.Mods.param()), 10)
		return append(append(out, event...), s.final)
	}
	return s.encode(k.Mods, false)
}

// eventParam returns what follows the modifiers for a repeat or a release.
func (k Key) eventParam() string {
	switch k.Event {
	case KeyRepeat:
		return ":2"
	case KeyRelease:
		return ":3"
	}
	return ""
}

// kittyControl encodes Enter, Tab, Backspace and Escape. The first three stay
// as they were without modifiers, so that a shell can be used after a program
// left the mode on, unless all keys are to be reported: nor are their releases.
func kittyControl(k Key, m Modes) []byte {
	if k.Code != KeyEscape && m.KittyFlags&kittyAllKeys == 0 {
		switch {
		case k.Event == KeyRelease:
			return nil
		case k.Mods == 0:
			return characterKey(k, m)
		}
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
	return kittyCSI(code, 0, k, 0)
}

// kittyKeypad encodes a key of the numeric keypad: a key of its own, unless it
// types text and text is not to be reported as keys.
func kittyKeypad(k Key, m Modes) []byte {
	i := int(k.Code - KeyKP0)
	all := m.KittyFlags&kittyAllKeys != 0
	if k.Code != KeyKPEnter && k.Mods&^Shift == 0 && !all && k.Event != KeyRelease {
		return []byte{keypadChars[i]}
	}
	text := rune(0)
	if all && m.KittyFlags&kittyText != 0 && k.Code != KeyKPEnter && k.Mods&^Shift == 0 && k.Event != KeyRelease {
		text = rune(keypadChars[i])
	}
	return kittyCSI(kittyKP0+i, 0, k, text)
}

// kittyRune encodes a key that types a character: as text where it types text,
// else by its code without Shift. A character other than a letter stands for a
// key that types it without Shift, as on some layout it is.
func kittyRune(k Key, m Modes) []byte {
	if low := unicode.ToLower(k.Rune); low != k.Rune {
		k.Rune, k.Mods = low, k.Mods|Shift
	}
	typed, all := typedRune(k), m.KittyFlags&kittyAllKeys != 0
	typesText := k.Mods&^Shift == 0 && k.Event != KeyRelease
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
	return kittyCSI(int(k.Rune), shifted, k, text)
}

// kittyCSI returns CSI code : shifted ; modifiers : event ; text u, leaving out what is
// zero.
func kittyCSI(code int, shifted rune, k Key, text rune) []byte {
	event := k.eventParam()
	out := strconv.AppendInt([]byte(keyCSI), int64(code), 10)
	if shifted != 0 {
		out = strconv.AppendInt(append(out, ':'), int64(shifted), 10)
	}
	if k.Mods != 0 || event != "" || text != 0 {
		out = append(out, ';')
	}
	if k.Mods != 0 || event != "" {
		out = append(strconv.AppendInt(out, int64(k.Mods.param()), 10), event...)
	}
	if text != 0 {
		out = strconv.AppendInt(append(out, ';'), int64(text), 10)
	}
	return append(out, 'u')
}
