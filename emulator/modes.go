package emulator

// A mode is a setting that SM, RM, DECSET and DECRST change.
type mode uint8

// The modes, with their names and numbers.
const (
	modeInsert         mode = iota // IRM, 4
	modeNewLine                    // LNM, 20
	modeKeyboardLock               // KAM, 2
	modeSendReceive                // SRM, 12
	modeAppCursor                  // DECCKM, ?1
	modeColumn132                  // DECCOLM, ?3
	modeReverseVideo               // DECSCNM, ?5
	modeOrigin                     // DECOM, ?6
	modeAutoWrap                   // DECAWM, ?7
	modeBlinkCursor                // att610, ?12
	modeCursorVisible              // DECTCEM, ?25
	modeAllow132                   // ?40
	modeTabAfterWrap               // ?41, xterm's "more(1) fix"
	modeNational                   // DECNRCM, ?42
	modeReverseWrap                // ?45
	modeAppKeypad                  // DECNKM, ?66
	modeBackarrow                  // DECBKM, ?67
	modeLeftRight                  // DECLRMM, ?69
	modeFocus                      // ?1004
	modeAltScroll                  // ?1007
	modeMeta8bit                   // ?1034
	modeMetaEscape                 // ?1036
	modeExtReverseWrap             // ?1045
	modeAllowAlt                   // ?1046
	modeBracketedPaste             // ?2004
	modeSynchronized               // ?2026
	modeGraphemes                  // ?2027
	modeInBandResize               // ?2048
	modeSixelDisplay               // DECSDM, ?80
	modeSixelRight                 // ?8452: after a sixel image, the cursor is to its right
	modeInert                      // the first inert mode; modeInert+i is DEC private mode inertModes[i]
)

// modes is the set of modes that are on, and the mouse tracking and encoding.
type modes struct {
	on       uint64 // bit f is set while mode f is on
	tracking MouseTracking
	encoding MouseEncoding
}

func (m *modes) has(f mode) bool { return m.on&(1<<f) != 0 }

func (m *modes) set(f mode, on bool) {
	if on {
		m.on |= 1 << f
	} else {
		m.on &^= 1 << f
	}
}

// defaultModes returns xterm's modes after power-on.
func defaultModes() modes {
	var m modes
	for _, f := range []mode{
		modeSendReceive, modeAutoWrap, modeCursorVisible,
		modeMeta8bit, modeMetaEscape, modeAllowAlt,
		modeNumbers[35], modeNumbers[1010], modeNumbers[1035], modeNumbers[1040], modeNumbers[1070],
	} {
		m.set(f, true)
	}
	return m
}

// meta returns the effect of Alt.
func (m *modes) meta() MetaForm {
	switch {
	case m.has(modeMetaEscape):
		return MetaEscape
	case m.has(modeMeta8bit):
		return MetaEightBit
	}
	return MetaPlain
}

// modeNumbers maps numbers to modes. Positive numbers are those of DECSET and DECRST (xterm
// ctlseqs, "DEC Private Mode Set"), negative ones those of SM and RM (ECMA-48 7). The map
// lacks the modes of the mouse (see setMouse), and those that switch the screen or save the
// cursor (see setMode).
var modeNumbers = addInertModes(map[int]mode{
	-2: modeKeyboardLock, -4: modeInsert, -12: modeSendReceive, -20: modeNewLine,
	1: modeAppCursor, 3: modeColumn132, 5: modeReverseVideo,
	6: modeOrigin, 7: modeAutoWrap, 12: modeBlinkCursor, 25: modeCursorVisible,
	40: modeAllow132, 41: modeTabAfterWrap, 42: modeNational, 45: modeReverseWrap,
	66: modeAppKeypad, 67: modeBackarrow, 69: modeLeftRight, 80: modeSixelDisplay,
	1004: modeFocus, 1007: modeAltScroll, 1034: modeMeta8bit,
	1036: modeMetaEscape, 1045: modeExtReverseWrap,
	1046: modeAllowAlt, 2004: modeBracketedPaste, 2026: modeSynchronized, 2027: modeGraphemes,
	2048: modeInBandResize, 8452: modeSixelRight,
})

// inertModes are DEC private modes that are stored for DECRQM and XTSAVE and have no other
// effect here. They are xterm's modes for smooth scrolling, printer, scrollbar, fonts, the
// bell, keyboards of other vendors, colours, selection and mouse clicks. ?2031, which xterm
// 379 lacks, requests notifications of a new colour scheme, but the scheme never changes.
var inertModes = [...]int{
	4, 18, 19, 30, 35, 44, 1001, 1010, 1011, 1035, 1037, 1039, 1040, 1041, 1042, 1043, 1044,
	1050, 1051, 1060, 1061, 1070, 2001, 2002, 2003, 2005, 2006, 2031,
}

func addInertModes(modes map[int]mode) map[int]mode {
	for i, n := range inertModes {
		modes[n] = modeInert + mode(i)
	}
	return modes
}

// fixedModes holds the replies to DECRQM for modes that cannot be changed, numbered as in
// modeNumbers. xterm 379 sends the same replies.
var fixedModes = map[int]int{
	-1: reportAlwaysOff, -3: reportReset, -5: reportAlwaysOff, -7: reportAlwaysOff, -10: reportAlwaysOff, -11: reportAlwaysOff,
	-13: reportAlwaysOff, -14: reportAlwaysOff, -15: reportAlwaysOff, -16: reportAlwaysOff,
	-17: reportAlwaysOff, -18: reportAlwaysOff, -19: reportAlwaysOff,
	2:  reportSet,       // DECANM: ANSI, not VT52
	8:  reportAlwaysOff, // DECARM
	13: reportReset,     // 13 and 14: cursor blinking
	14: reportAlwaysOn,
	38: reportReset, // Tektronix
	46: reportAlwaysOff,
}

// setModes returns a method that sets or resets the mode of each parameter: SM, ECMA-48
// 8.3.125; RM, 8.3.106; DECSET and DECRST, xterm ctlseqs. sign is 1 for DEC private modes and -1
// for ANSI modes, as in modeNumbers.
func setModes(sign int, on bool) func(*Terminal, *params) {
	return func(t *Terminal, p *params) {
		for i := range p.n {
			t.setMode(sign*p.get(i, 0), on)
		}
	}
}

// setMode sets or resets mode n, numbered as in modeNumbers.
func (t *Terminal) setMode(n int, on bool) {
	if t.modes.setMouse(n, on) {
		return
	}
	switch n {
	case 47, 1047, 1049:
		if t.modes.has(modeAllowAlt) {
			t.setAlt(n, on)
		}
		return
	case 1048:
		switch {
		case !t.modes.has(modeAllowAlt):
		case on:
			t.saveCursor()
		default:
			t.restoreCursor()
		}
		return
	}
	f, ok := modeNumbers[n]
	if !ok {
		return
	}
	switch f {
	case modeLeftRight:
		if t.level < 4 {
			return
		}
	case modeColumn132:
		t.setColumns(on)
		return
	}
	t.modes.set(f, on)
	t.modeChanged(f, on)
}

// modeChanged applies the side effects of mode f, which has just been set or reset.
func (t *Terminal) modeChanged(f mode, on bool) {
	switch f {
	case modeAppCursor, modeCursorVisible:
		t.repaint.modesChanged(&t.modes)
	case modeOrigin:
		t.address(0, 0)
	case modeLeftRight:
		if !on {
			t.margins.left, t.margins.right = 0, t.size.Cols-1
		}
	case modeBlinkCursor:
		t.blink = on
	case modeAllowAlt:
		if !on {
			t.setAlt(47, false)
		}
	case modeReverseVideo:
		t.changed = true
	case modeSynchronized:
		if on {
			t.queueEvent(Event{Kind: EventUpdate})
		}
	case modeGraphemes:
		t.cluster = ""
	case modeBracketedPaste:
		if !on {
			t.lineSubmitted()
		} else {
			t.promptSeen()
			if pos, ok := t.CursorPosition(); ok {
				t.queueEvent(Event{Kind: EventBracketedPaste, Mark: Mark{At: pos, Offset: t.consumed}})
			}
		}
	case modeInBandResize:
		if on {
			t.reportSize()
		}
	}
}

// setMouse sets or resets mode n if it is a mouse mode, and reports whether it is. Only one tracking
// mode and one encoding can be set (xterm ctlseqs, "Mouse Tracking"). Resetting any tracking mode
// turns tracking off. Resetting an encoding has an effect only if that encoding is set.
func (m *modes) setMouse(n int, on bool) bool {
	switch n {
	case 9, 1000, 1002, 1003:
		if on {
			m.tracking = MouseTracking(n)
		} else {
			m.tracking = MouseOff
		}
	case 1005, 1006, 1015, 1016:
		if on {
			m.encoding = MouseEncoding(n)
		} else if m.encoding == MouseEncoding(n) {
			m.encoding = MouseDefault
		}
	default:
		return false
	}
	return true
}

// modeState returns the state of mode n, numbered as in modeNumbers, and whether programs can
// change mode n. The state of 1048 is whether a cursor has been saved.
func (t *Terminal) modeState(n int) (on, known bool) {
	switch n {
	case 9, 1000, 1002, 1003:
		return t.modes.tracking == MouseTracking(n), true
	case 1005, 1006, 1015, 1016:
		return t.modes.encoding == MouseEncoding(n), true
	case 47, 1047, 1049:
		return t.scr == t.alt, true
	case 1048:
		return t.savedSlot().set, true
	}
	f, ok := modeNumbers[n]
	return ok && t.modes.has(f), ok
}

// xtsave and xtrestore are XTSAVE and XTRESTORE, xterm ctlseqs. As in xterm, restoring a mode
// that was never saved resets the mode. The modes of the alternate screen share one saved
// value; restoring it neither clears the screen nor moves the cursor.
func (t *Terminal) xtsave(p *params) {
	for i := range p.n {
		n := savedModeNumber(p.get(i, 0))
		if on, known := t.modeState(n); n == 1048 {
			t.saveCursor()
		} else if known {
			t.savedModes[n] = on // at most one entry per known mode
		}
	}
}

func (t *Terminal) xtrestore(p *params) {
	for i := range p.n {
		n := savedModeNumber(p.get(i, 0))
		if _, known := t.modeState(n); known {
			t.setMode(n, t.savedModes[n]) // 1048 is never in savedModes, so setMode restores the cursor
		}
	}
}

// savedModeNumber returns the number under which XTSAVE saves mode n: 47 for each mode that
// switches to the alternate screen, and n for other modes.
func savedModeNumber(n int) int {
	if n == 1047 || n == 1049 {
		return 47
	}
	return n
}

// Modes returns the current modes.
func (t *Terminal) Modes() Modes {
	m := &t.modes
	return Modes{
		AppCursor:        m.has(modeAppCursor),
		AppKeypad:        m.has(modeAppKeypad),
		NewLine:          m.has(modeNewLine),
		BackarrowSendsBS: m.has(modeBackarrow),
		BracketedPaste:   m.has(modeBracketedPaste),
		FocusEvents:      m.has(modeFocus),
		AltScreen:        t.scr == t.alt,
		AltScroll:        m.has(modeAltScroll),
		Synchronized:     m.has(modeSynchronized),
		Graphemes:        m.has(modeGraphemes),
		ReverseVideo:     m.has(modeReverseVideo),
		Mouse:            m.tracking,
		MouseEncoding:    m.encoding,
		Meta:             t.modes.meta(),
		ModifyOtherKeys:  t.modifyOther,
		KittyFlags:       t.kittyState().flags,
	}
}

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
	KittyFlags       uint8         `json:"kitty_keyboard,omitempty"`    // flags of the current screen
}
