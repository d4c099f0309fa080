package emulator

import (
	"cmp"
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
	all := m.KittyFlags&kittyAllKeys != 0
	var s kittySeq
	switch seq, ok := keySeqOf(k.Code); {
	case k.Code == KeyF1+2:
		s = kittySeq{code: 13, final: '~'} // not the legacy CSI R, which is also a cursor position report
	case ok: // the legacy form, but DECCKM is ignored and F1 to F4 are sent with CSI
		s = kittySeq{code: seq.num, final: seq.final}
	case k.Code > KeyF1+11 && k.Code <= KeyF24:
		s = kittySeq{code: kittyF13 + int(k.Code-KeyF1) - 12}
	case isKeypad(k.Code):
		i := int(k.Code - KeyKP0)
		s = kittySeq{code: kittyKP0 + i}
		if k.Code != KeyKPEnter {
			s.text = rune(keypadChars[i])
		}
	case k.Code == KeyRune:
		// The protocol wants the unshifted character, which depends on the layout. Only letters
		// are converted; other characters are taken as unshifted.
		if low := unicode.ToLower(k.Rune); low != k.Rune {
			k.Rune, k.Mods = low, k.Mods|Shift
		}
		s = kittySeq{code: int(k.Rune), text: typedRune(k, m)}
		if m.KittyFlags&kittyAlternates != 0 && s.text != k.Rune {
			s.shifted = s.text
		}
	case k.Code != KeyEscape && !all && k.Event == KeyRelease:
		return nil // Enter, Tab and Backspace keep their legacy form, so that a shell remains usable if a program leaves the flags set
	case k.Code != KeyEscape && !all && k.Mods == 0:
		return characterKey(k, m)
	default:
		s = kittySeq{code: int(typedRune(Key{Code: k.Code}, Modes{}))}
	}
	if k.Mods&^Shift != 0 || k.Event == KeyRelease {
		s.text = 0
	}
	if s.text != 0 && !all {
		return utf8.AppendRune(nil, s.text)
	}
	if m.KittyFlags&kittyText == 0 {
		s.text = 0
	}
	return s.encode(k)
}

// A kittySeq is CSI code : shifted ; modifiers : event ; text final. Fields that are zero
// are omitted, and so is code 1 before a letter if it is the only field.
type kittySeq struct {
	code    int
	shifted rune // the character that the key types with Shift, or 0
	text    rune // the text that the key types, or 0
	final   byte // 0 means u
}

// encode returns the sequence with the modifiers and the event of k.
func (s kittySeq) encode(k Key) []byte {
	event := [...]string{KeyStroke: "", KeyPress: "", KeyRepeat: ":2", KeyRelease: ":3"}[k.Event]
	modified := k.Mods != 0 || event != ""
	out := []byte("\x1b[")
	if s.code != 1 || s.final == 0 || modified {
		out = strconv.AppendInt(out, int64(s.code), 10)
	}
	if s.shifted != 0 {
		out = strconv.AppendInt(append(out, ':'), int64(s.shifted), 10)
	}
	if modified || s.text != 0 {
		out = append(out, ';')
	}
	if modified {
		out = append(strconv.AppendInt(out, int64(k.Mods.param()), 10), event...)
	}
	if s.text != 0 {
		out = strconv.AppendInt(append(out, ';'), int64(s.text), 10)
	}
	return append(out, cmp.Or(s.final, 'u'))
}
