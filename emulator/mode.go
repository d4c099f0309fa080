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
	MetaEightBit                 // ?1034 without ?1036: 128 is added to an ASCII character
	MetaPlain                    // neither: Alt is ignored
)

// Modes are the modes that callers need to encode input and to report the terminal's state.
// The JSON form contains only modes that are set, and never Meta.
type Modes struct {
	AppCursor        bool          `json:"app_cursor,omitempty"`         // DECCKM, ?1
	AppKeypad        bool          `json:"app_keypad,omitempty"`         // DECKPAM, ?66
	NewLine          bool          `json:"new_line,omitempty"`           // LNM, 20
	BackarrowSendsBS bool          `json:"backarrow_sends_bs,omitempty"` // DECBKM, ?67
	BracketedPaste   bool          `json:"bracketed_paste,omitempty"`    // ?2004
	FocusEvents      bool          `json:"focus_events,omitempty"`       // ?1004
	AltScreen        bool          `json:"alt_screen,omitempty"`         // ?47, ?1047, ?1049
	AltScroll        bool          `json:"alt_scroll,omitempty"`         // ?1007
	Synchronized     bool          `json:"synchronized,omitempty"`       // ?2026: a synchronized update has begun and not ended
	Graphemes        bool          `json:"graphemes,omitempty"`          // ?2027
	ReverseVideo     bool          `json:"reverse_video,omitempty"`      // DECSCNM, ?5: default foreground and background are swapped
	Mouse            MouseTracking `json:"mouse,omitempty"`
	MouseEncoding    MouseEncoding `json:"mouse_encoding,omitempty"`
	Meta             MetaForm      `json:"-"`
	ModifyOtherKeys  int           `json:"modify_other_keys,omitempty"` // XTMODKEYS 4: 0, 1, 2
	KittyFlags       uint8         `json:"kitty_keyboard,omitempty"`    // kitty keyboard protocol's progressive enhancement flags
}
