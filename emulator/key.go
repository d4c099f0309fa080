package emulator

// Mods is a set of modifier keys.
type Mods uint8

// The modifiers, with the bits of xterm's modifier parameter (value - 1).
const (
	Shift Mods = 1 << iota
	Alt
	Ctrl
	Super
)

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

// A Key is one key press.
type Key struct {
	Code KeyCode
	Rune rune // for KeyRune
	Mods Mods
}

// ParseKey reads a key name as the tool contract has it: "enter", "ctrl+c",
// "C-c", "^C", "M-x", "shift+f5", "plus", "down*3", in any case. It returns the
// key and how often it is to be pressed (1 to MaxKeyRepeat). The error names
// the unknown part and what is allowed.
func ParseKey(name string) (Key, int, error) { panic("not yet") }

// EncodeKey returns the bytes that xterm would send for k in modes m.
func EncodeKey(k Key, m Modes) []byte { panic("not yet") }

// EncodeText returns the bytes that typing text would send: line feed, and
// carriage return with line feed, as Enter; all else as it is.
func EncodeText(text string, m Modes) []byte { panic("not yet") }

// EncodePaste returns the bytes that pasting text would send: inside brackets
// when ?2004 is set, with whatever could end the brackets taken out; line feeds
// as carriage returns.
func EncodePaste(text string, m Modes) []byte { panic("not yet") }

// EncodeFocus returns the report of a focus change, empty unless ?1004 is set.
func EncodeFocus(in bool, m Modes) []byte { panic("not yet") }
