package emulator

import (
	"fmt"

	"github.com/glasstty/glasstty/emulator/graphics"
)

// MouseAction is the kind of a mouse event.
type MouseAction uint8

// The mouse actions.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMove
)

// The mouse buttons. Each direction of the wheel is a button (xterm ctlseqs, "Mouse
// Tracking").
const (
	MouseButtonNone   = 0
	MouseButtonLeft   = 1
	MouseButtonMiddle = 2
	MouseButtonRight  = 3
	MouseWheelUp      = 4
	MouseWheelDown    = 5
	MouseWheelLeft    = 6
	MouseWheelRight   = 7
)

// CellWidth and CellHeight are the size of a cell in pixels, as in reports to programs
// (XTWINOPS 14, 16) and in pixel mouse reports.
const (
	CellWidth  = graphics.CellWidth
	CellHeight = graphics.CellHeight
)

const (
	// maxMouseButton is the highest button that has a code (xterm ctlseqs, "Other
	// buttons").
	maxMouseButton = 11
	// maxMouseByte and maxMouseUTF8 are the largest one-based row and column that
	// the default encoding and mode 1005 can express.
	maxMouseByte = 223
	maxMouseUTF8 = 2015
	// altScrollLines is the number of cursor keys that one step of the wheel sends
	// in mode 1007 (xterm's default translations scroll by 5 lines).
	altScrollLines = 5
)

// Parts of a mouse report's button code in addition to the button.
const (
	mouseNoButton  = 3 // a release, or a move without a button
	mouseModsShift = 2 // bit number of Shift; the next bits are Alt and Ctrl, as in Mods
	mouseMotion    = 32
)

// A Mouse is one mouse event over a cell.
type Mouse struct {
	Action MouseAction
	Button int // the button pressed or released, or held during a move
	At     Point
	Mods   Mods
}

// EncodeMouse returns the report of e for a program that has set modes m. The error wraps
// ErrMouseOff if the program has not asked for such events, and ErrMouse if the event is
// impossible or cannot be expressed. On the alternate screen, the wheel sends cursor keys if
// mode 1007 is set and no tracking mode is. The result is nil, without an error, for an event
// that the protocol does not report, such as the release of the wheel.
func EncodeMouse(e Mouse, m Modes) ([]byte, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	if m.Mouse == MouseOff && m.AltScroll && m.AltScreen && e.isWheel() {
		return altScroll(e, m), nil
	}
	if err := e.checkTracking(m.Mouse); err != nil {
		return nil, err
	}
	if e.isWheel() && e.Action == MouseRelease {
		return nil, nil
	}
	return e.report(m)
}

// check rejects impossible events.
func (e Mouse) check() error {
	switch {
	case e.Action > MouseMove:
		return fmt.Errorf("%w: action %d; want 0 (press), 1 (release) or 2 (move)", ErrMouse, e.Action)
	case e.Button < 0 || e.Button > maxMouseButton:
		return fmt.Errorf("%w: button %d; want 0 (none) to %d", ErrMouse, e.Button, maxMouseButton)
	case e.Button == MouseButtonNone && e.Action != MouseMove:
		return fmt.Errorf("%w: a press or release needs a button, 1 to %d", ErrMouse, maxMouseButton)
	case e.At.Row < 0 || e.At.Col < 0:
		return fmt.Errorf("%w: row %d, column %d; neither may be negative", ErrMouse, e.At.Row, e.At.Col)
	}
	return nil
}

// isWheel reports whether the event is from the wheel. Terminals report no release of the wheel.
func (e Mouse) isWheel() bool {
	return e.Button >= MouseWheelUp && e.Button <= MouseWheelRight
}

// checkTracking returns an error unless the tracking mode reports events like e.
func (e Mouse) checkTracking(mode MouseTracking) error {
	switch {
	case mode == MouseOff:
		return fmt.Errorf("%w: it has set none of the modes 9, 1000, 1002 and 1003; use keys instead", ErrMouseOff)
	case mode == MouseX10 && (e.Action != MousePress || e.Button > MouseButtonRight):
		return fmt.Errorf("%w except for presses of buttons 1 to 3 (mode 9)", ErrMouseOff)
	case mode == MouseNormal && e.Action == MouseMove:
		return fmt.Errorf("%w except for buttons and the wheel (mode 1000)", ErrMouseOff)
	case mode == MouseButton && e.Action == MouseMove && e.Button == MouseButtonNone:
		return fmt.Errorf("%w except for buttons, the wheel and moves with a button held (mode 1002)", ErrMouseOff)
	}
	return nil
}

// altScroll returns the cursor keys that the wheel sends (xterm ctlseqs, mode 1007).
func altScroll(e Mouse, m Modes) []byte {
	key := Key{Code: KeyUp, Event: KeyPress}
	switch {
	case e.Action != MousePress || e.Button > MouseWheelDown:
		return nil
	case e.Button == MouseWheelDown:
		key.Code = KeyDown
	}
	var out []byte
	for range altScrollLines {
		out = append(out, EncodeKey(key, m)...)
	}
	return out
}

// code returns the button code without the encoding's offset. A release has the code
// mouseNoButton, unless the final byte of the report distinguishes press and release.
func (e Mouse) code(mode MouseTracking, releaseInFinal bool) int {
	code := 0
	switch {
	case e.Button == MouseButtonNone, e.Action == MouseRelease && !releaseInFinal:
		code = mouseNoButton
	case e.Button >= 8:
		code = 128 + e.Button - 8
	case e.Button >= MouseWheelUp:
		code = 64 + e.Button - MouseWheelUp
	default:
		code = e.Button - 1
	}
	if e.Action == MouseMove {
		code |= mouseMotion
	}
	if mode == MouseX10 {
		return code
	}
	return code | int(e.Mods&(Shift|Alt|Ctrl))<<mouseModsShift
}

// report encodes the event in the program's encoding (xterm ctlseqs, "Extended
// coordinates").
func (e Mouse) report(m Modes) ([]byte, error) {
	row, col := e.At.Row+1, e.At.Col+1
	switch m.MouseEncoding {
	case MouseSGRPixels:
		row = e.At.Row*CellHeight + CellHeight/2
		col = e.At.Col*CellWidth + CellWidth/2
		fallthrough
	case MouseSGR:
		final := 'M'
		if e.Action == MouseRelease {
			final = 'm'
		}
		return fmt.Appendf(nil, "\x1b[<%d;%d;%d%c", e.code(m.Mouse, true), col, row, final), nil
	case MouseURXVT:
		return fmt.Appendf(nil, "\x1b[%d;%d;%dM", e.code(m.Mouse, false)+' ', col, row), nil
	case MouseUTF8:
		if row > maxMouseUTF8 || col > maxMouseUTF8 {
			return nil, e.tooFar(maxMouseUTF8, MouseUTF8)
		}
		return fmt.Appendf(nil, "\x1b[M%c%c%c", e.code(m.Mouse, false)+' ', col+' ', row+' '), nil
	default:
		if row > maxMouseByte || col > maxMouseByte {
			return nil, e.tooFar(maxMouseByte, MouseDefault)
		}
		return []byte{esc, '[', 'M', byte(e.code(m.Mouse, false) + ' '), byte(col + ' '), byte(row + ' ')}, nil
	}
}

// tooFar returns the error for a position that the encoding cannot express. xterm sends a
// NUL instead, which the program would take for a wrong position.
func (e Mouse) tooFar(limit int, enc MouseEncoding) error {
	return fmt.Errorf("%w: row %d, column %d; the program's mouse encoding (%d) cannot express more than %d",
		ErrMouse, e.At.Row, e.At.Col, enc, limit-1)
}
