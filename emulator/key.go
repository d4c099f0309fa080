package emulator

import (
	"bytes"
	"strings"
)

// Mods is a set of modifier keys.
type Mods uint8

// The modifiers, with the bits of xterm's modifier parameter (value - 1). The fourth bit
// is Meta in xterm and Super in the kitty protocol; we follow kitty.
const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
)

// param returns the modifier parameter of xterm and of the kitty protocol: 1 means no
// modifier.
func (m Mods) param() int { return int(m) + 1 }

// KeyCode identifies a key. All keys outside the keypad that type a printable character share
// the code KeyRune.
type KeyCode uint8

// The keys. KeyRune stands for the key that types Key.Rune.
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

// The keys of the numeric keypad. KeyKPBegin is the middle key while NumLock is off. The other
// constants are keys while NumLock is on.
const (
	KeyKPBegin KeyCode = KeyF24 + 1 + iota
	KeyKP0             // KeyKP0+n is the keypad's digit n
)

// The keypad's other keys.
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

// A Key is one key, its modifiers, and whether it is pressed, repeated or released.
type Key struct {
	Code  KeyCode
	Rune  rune // for KeyRune
	Mods  Mods
	Event KeyEvent
}

// KeyEvent is what happens to a key. Repeats and releases are reported only to a program
// that has requested them through the kitty keyboard protocol ("Report event types"). For
// other programs, a repeat is encoded as a press and a release as nothing.
type KeyEvent uint8

// The key events.
const (
	KeyStroke KeyEvent = iota // pressed and released
	KeyPress
	KeyRepeat
	KeyRelease
)

// EncodeKey returns the bytes that xterm would send for k in modes m, or the encoding of
// the kitty keyboard protocol if the program has enabled it.
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

// LostMods returns which of Ctrl and Super EncodeKey cannot express in a press of a KeyRune key.
// For example, ctrl+é is sent as é, and ctrl+1 as 1. For other keys and releases, it returns 0.
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

// EncodeText returns the bytes that typing text would send. LF and CR LF are sent as Enter; all
// other bytes are unchanged.
func EncodeText(text string, m Modes) []byte {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return []byte(strings.ReplaceAll(text, "\n", string(EncodeKey(Key{Code: KeyEnter}, m))))
}
