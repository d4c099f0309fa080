package mcpserver

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const sendMouseDoc = `Click, drag or scroll over a cell of a program that has asked for the mouse, such as mc, htop, or vim with mouse=a. For others it fails and says so: use send_keys. Take row and col from snapshot. A click presses and releases; press, move and release drag.
It returns the unread output or the screen, reason and is_complete.`

type sendMouseArgs struct {
	oneSession
	Action    string      `json:"action" need:"true" enum:"click,press,release,move,scroll_up,scroll_down" doc:"mouse action"`
	Row       int         `json:"row" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Col       int         `json:"col" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Button    mouseButton `json:"button" doc:"left, middle or right; default left, for move none: to drag, name the pressed one"`
	Modifiers []string    `json:"modifiers" enum:"shift,alt,ctrl" doc:"modifier keys held down"`
	answering
}

func handleSendMouse(ctx context.Context, c *call, s *session.Session, in *sendMouseArgs) (*answer, error) {
	info := s.Info()
	if size := info.Size; in.Row >= size.Rows || in.Col >= size.Cols {
		return nil, refuse("row %d, col %d is outside the screen of %d rows and %d cols; take the cell from a snapshot", in.Row, in.Col, size.Rows, size.Cols)
	}
	if in.Action == "move" && in.Button == emulator.MouseButtonNone && info.Modes.Mouse == emulator.MouseButton {
		return nil, refuse(`the program takes moves only with a button held (mode 1002); to drag, give the pressed one as "button"`)
	}
	return c.send(ctx, s, session.Input{Mouse: in.events()}, in.answering)
}

// events returns the mouse events of the action.
func (in *sendMouseArgs) events() []emulator.Mouse {
	m := emulator.Mouse{At: emulator.Point{Row: in.Row, Col: in.Col}, Button: int(in.Button)}
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

// A mouseButton is the argument button: a name, or its X11 number from 1 to 3.
type mouseButton int

var buttonNames = []string{"left", "middle", "right"}

func (*mouseButton) schema() Schema { return Schema{Type: "string", Enum: buttonNames} }

func (*mouseButton) want() string { return "one of left, middle, right" }

func (b *mouseButton) decode(p param, raw json.RawMessage) error {
	var name string
	var number int
	if json.Unmarshal(raw, &name) == nil {
		number = slices.Index(buttonNames, name) + 1
	} else if json.Unmarshal(raw, &number) != nil || number < 1 || number > len(buttonNames) {
		return p.wrong(raw)
	}
	if number == 0 {
		return p.wrongText(name)
	}
	*b = mouseButton(number)
	return nil
}

var modifierBits = map[string]emulator.Mods{"shift": emulator.Shift, "alt": emulator.Alt, "ctrl": emulator.Ctrl}
