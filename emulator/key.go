package emulator

import "bytes"

// Mods is a set of modifier keys.
type Mods uint8

// The modifiers, with the bits of xterm's modifier parameter (value - 1).
// xterm has Meta where we have Super: X knows no program that can tell them
// apart, and the kitty protocol gives this bit to Super.
const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
)

// param is the modifier parameter of xterm and of the kitty protocol: 1 for no
// modifier.
func (m Mods) param() int { return int(m) + 1 }

// KeyCode names a key that has no character of its own.
type KeyCode uint8

// The keys. KeyRune is a key that types Key.Rune.
const (
	KeyRune KeyCode = iota
	KeyEnter
	KeyTab
	KeyEscape
	KeyBackspace
	KeyDelete
	KeyInsert
	KeyUp
	KeyDown
	KeyLeft
	KeyRight
	KeyHome
	KeyEnd
	KeyPageUp
	KeyPageDown
	KeyF1 // KeyF1+n is F(n+1), up to F24
)

// KeyF24 is the last function key.
const KeyF24 = KeyF1 + 23

// The keys of the numeric keypad, with NumLock on, and the key in its middle
// with NumLock off.
const (
	KeyBegin KeyCode = KeyF24 + 1 + iota
	KeyKP0           // KeyKP0+n is the keypad's digit n
)

// The keypad's keys after its digits.
const (
	KeyKPDecimal KeyCode = KeyKP0 + 10 + iota
	KeyKPDivide
	KeyKPMultiply
	KeyKPSubtract
	KeyKPAdd
	KeyKPEnter
	KeyKPEqual
	KeyKPSeparator
)

// A Key is one key, and what is done with it.
type Key struct {
	Code  KeyCode
	Rune  rune // for KeyRune
	Mods  Mods
	Event KeyEvent
}

// KeyEvent is what is done with a key. Repeats and releases are reported only to a program
// that has asked for them by the kitty keyboard protocol ("Report event types"): to others a
// repeat is a press, and a release sends nothing.
type KeyEvent uint8

// The events.
const (
	KeyStroke KeyEvent = iota // pressed and released
	KeyPress
	KeyRepeat
	KeyRelease
)

// EncodeKey returns the bytes that xterm would send for k in modes m, or what
// the kitty keyboard protocol says when the program has asked for it.
func EncodeKey(k Key, m Modes) []byte {
	kitty := m.KittyFlags&(kittyDisambiguate|kittyAllKeys) != 0
	events := kitty && m.KittyFlags&kittyEventTypes != 0
	switch {
	case k.Event == KeyRelease && !events:
		return nil
	case !kitty:
		return xtermKey(k, m)
	case !events:
		k.Event = KeyPress
	case k.Event == KeyStroke:
		k.Event = KeyPress
		press := kittyKey(k, m)
		k.Event = KeyRelease
		return append(press, kittyKey(k, m)...)
	}
	return kittyKey(k, m)
}

// LostMods returns the modifiers of Ctrl and Super that EncodeKey cannot express for a key
// that types a character: a terminal that is asked for ctrl+é, or ctrl+1, types é and 1.
func LostMods(k Key, m Modes) (lost Mods) {
	if k.Code != KeyRune || k.Event == KeyRelease {
		return 0
	}
	for _, mod := range [...]Mods{Ctrl, Super} {
		plain := k
		plain.Mods &^= mod
		if k.Mods&mod != 0 && bytes.Equal(EncodeKey(k, m), EncodeKey(plain, m)) {
			lost |= mod
		}
	}
	return lost
}

// EncodeText returns the bytes that typing text would send: line feed, and
// carriage return with line feed, as Enter; all else as it is.
func EncodeText(text string, m Modes) []byte {
	enter := EncodeKey(Key{Code: KeyEnter}, m)
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case text[i] == '\n':
			out = append(out, enter...)
		default:
			out = append(out, text[i])
		}
	}
	return out
}
