package mcpserver

import (
	"context"
	"slices"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const sendMouseDoc = `Click, drag or scroll over a cell of a program that has asked for the mouse, such as mc, htop, or vim with mouse=a. For others it fails and says so: use send_keys. Take row and col from snapshot. A click presses and releases; press, move and release drag.
It returns the unread output or the screen, reason and is_complete.`

type sendMouseArgs struct {
	oneSession
	Action    string   `json:"action" need:"true" enum:"click,press,release,move,scroll_up,scroll_down" doc:"mouse action"`
	Row       int      `json:"row" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Col       int      `json:"col" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Button    string   `json:"button" enum:"left,middle,right" doc:"left, middle or right; default left, for move none: to drag, name the pressed one"`
	Modifiers []string `json:"modifiers" enum:"shift,alt,ctrl" doc:"modifier keys held down"`
	answerArgs
}

func handleSendMouse(ctx context.Context, c *call, s *session.Session, in *sendMouseArgs) (*answer, error) {
	info := s.Info()
	if size := info.Size; in.Row >= size.Rows || in.Col >= size.Cols {
		return nil, refuse("row %d, col %d is outside the screen of %d rows and %d cols; take the cell from a snapshot", in.Row, in.Col, size.Rows, size.Cols)
	}
	if in.Action == "move" && in.Button == "" && info.Modes.Mouse == emulator.MouseButton {
		return nil, refuse(`the program takes moves only with a button held (mode 1002); to drag, give the pressed one as "button"`)
	}
	return c.send(ctx, s, session.Input{Mouse: in.events()}, in.answerArgs)
}

// events returns the mouse events of the action.
func (in *sendMouseArgs) events() []emulator.Mouse {
	m := emulator.Mouse{At: emulator.Point{Row: in.Row, Col: in.Col}, Button: slices.Index(buttonNames, in.Button) + 1}
	for _, name := range in.Modifiers {
		m.Mods |= modifierBits[name]
	}
	if m.Button == emulator.MouseButtonNone && in.Action != "move" {
		m.Button = emulator.MouseButtonLeft
	}
	switch in.Action {
	case "click":
		up := m
		up.Action = emulator.MouseRelease
		return []emulator.Mouse{m, up}
	case "release":
		m.Action = emulator.MouseRelease
	case "move":
		m.Action = emulator.MouseMove
	case "scroll_up":
		m.Button = emulator.MouseWheelUp
	case "scroll_down":
		m.Button = emulator.MouseWheelDown
	}
	return []emulator.Mouse{m}
}

// buttonNames are the mouse buttons in the order of their numbers in X11, which begin at 1.
var buttonNames = []string{"left", "middle", "right"}

var modifierBits = map[string]emulator.Mods{"shift": emulator.Shift, "alt": emulator.Alt, "ctrl": emulator.Ctrl}
