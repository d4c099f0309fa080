package emulator

// MouseAction is what the mouse did.
type MouseAction uint8

// The actions.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMove
)

// MouseButton1 to MouseButton3 are left, middle and right; the wheel counts as
// buttons too (xterm ctlseqs, "Mouse Tracking").
const (
	MouseButtonNone = 0
	MouseButtonLeft = 1
	MouseButtonMid  = 2
	MouseButtonRt   = 3
	MouseWheelUp    = 4
	MouseWheelDown  = 5
)

// A Mouse is one mouse event over a cell.
type Mouse struct {
	Action MouseAction
	Button int
	At     Point
	Mods   Mods
}

// EncodeMouse returns the report of e that a program with modes m expects. The
// error wraps ErrMouseOff when the program has not asked for such events.
func EncodeMouse(e Mouse, m Modes) ([]byte, error) { panic("not yet") }
