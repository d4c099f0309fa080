package emulator

// MouseTracking selects the mouse events that a program has asked for.
type MouseTracking uint16

// The tracking modes, by DECSET number (xterm ctlseqs, "Mouse Tracking").
const (
	MouseOff    MouseTracking = 0
	MouseX10    MouseTracking = 9
	MouseNormal MouseTracking = 1000
	MouseButton MouseTracking = 1002
	MouseAny    MouseTracking = 1003
)

// MouseEncoding is the format of mouse reports.
type MouseEncoding uint16

// The encodings, by DECSET number.
const (
	MouseDefault   MouseEncoding = 0
	MouseUTF8      MouseEncoding = 1005
	MouseSGR       MouseEncoding = 1006
	MouseURXVT     MouseEncoding = 1015
	MouseSGRPixels MouseEncoding = 1016
)

// MetaForm is the effect of Alt on a key that types a character.
type MetaForm uint8

// The forms (xterm ctlseqs, modes 1034 and 1036).
const (
	MetaEscape   MetaForm = iota // ?1036, the default: ESC before the character
	MetaEightBit                 // ?1034 without ?1036: 128 is added to the character
	MetaPlain                    // neither: Alt is ignored
)

// Modes are the modes that matter outside the emulator, for encoding input and for
// telling a client which modes are set.
type Modes struct {
	AppCursor        bool // DECCKM, ?1
	AppKeypad        bool // DECKPAM, ?66
	NewLine          bool // LNM, 20
	BackarrowSendsBS bool // DECBKM, ?67
	BracketedPaste   bool // ?2004
	FocusEvents      bool // ?1004
	AltScreen        bool // ?47, ?1047, ?1049
	AltScroll        bool // ?1007
	Synchronized     bool // ?2026: an update is not complete
	Graphemes        bool // ?2027
	ReverseVideo     bool // DECSCNM, ?5: default foreground and background are swapped
	Mouse            MouseTracking
	MouseEncoding    MouseEncoding
	Meta             MetaForm
	ModifyOtherKeys  int   // XTMODKEYS 4: 0, 1, 2
	KittyFlags       uint8 // kitty keyboard protocol's progressive enhancement flags
}
