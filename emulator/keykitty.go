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
// (sw.kovidgoyal.net/kitty/keyboard-protocol), for programs that have set "Disambiguate"
// or "Report all keys".
func kittyKey(k Key, m Modes) []byte {
	if s, ok := keySeqOf(k.Code); ok {
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

// kittyFunction encodes a key for which the protocol keeps the legacy form. It differs
// from xterm's: DECCKM is ignored, F1 to F4 are sent with CSI, and F3 is sent as CSI 13
// ~, because CSI R is a cursor position report.
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

// eventParam returns the event subparameter that follows the modifiers: empty for a
// press.
func (k Key) eventParam() string {
	switch k.Event {
	case KeyRepeat:
		return ":2"
	case KeyRelease:
		return ":3"
	}
	return ""
}

// kittyControl encodes Enter, Tab, Backspace and Escape. Without modifiers, the first
// three keep their legacy form and send nothing on release, so that a shell stays usable
// if a program leaves the mode set. "Report all keys" overrides this.
func kittyControl(k Key, m Modes) []byte {
	if k.Code != KeyEscape && m.KittyFlags&kittyAllKeys == 0 {
		switch {
		case k.Event == KeyRelease:
			return nil
		case k.Mods == 0:
			return characterKey(k, m)
		}
	}
	return kittyCSI(otherCode(Key{Code: k.Code}, Modes{}), 0, k, 0)
}

// kittyKeypad encodes a key of the numeric keypad. It sends the key's character if the
// key types text and "Report all keys" is not set; otherwise it sends the keypad's own
// key code.
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

// kittyRune encodes a key that types a character: as text if it types text, otherwise by
// the code of the unshifted key. The protocol wants the unshifted character, which
// depends on the layout. Only letters are converted; other characters are taken as
// unshifted.
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

// kittyCSI returns CSI code : shifted ; modifiers : event ; text u, omitting fields that
// are zero.
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
