package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const sendMouseDoc = `Click, drag or scroll over a cell of a program that has asked for the mouse, such as mc, htop, or vim with mouse=a. For others it fails and says so: use send_keys. Take row and col from snapshot. A click presses and releases; press, move and release drag.
It returns the unread output or the screen, reason and is_complete.`

type sendMouseArgs struct {
	SessionID string      `json:"session_id" need:"true" doc:"id or name"`
	Action    string      `json:"action" need:"true" enum:"click,press,release,move,scroll_up,scroll_down" doc:"mouse action"`
	Row       int         `json:"row" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Col       int         `json:"col" need:"true" min:"0" max:"999" doc:"of the screen, zero-based"`
	Button    mouseButton `json:"button" doc:"left, middle or right; default left, for move none"`
	Modifiers []string    `json:"modifiers" enum:"shift,alt,ctrl" doc:"modifier keys held down"`
	WaitFor   *string     `json:"wait_for" doc:"regex, see send_and_read"`
	Timeout   *float64    `json:"timeout" min:"0.1" max:"600" doc:"seconds" default:"5"`
	waiting
	sinceArg `schema:"hidden"`
}

func sendMouse() tool {
	return newTool[sendMouseArgs, reply]("send_mouse", sendMouseDoc,
		hints{destructive: true, openWorld: true}, handleSendMouse)
}

func handleSendMouse(ctx context.Context, c *call, in *sendMouseArgs) (*answer, error) {
	s, err := c.session(in.SessionID)
	if err != nil {
		return nil, err
	}
	size := s.Info().Size
	if in.Row >= size.Rows || in.Col >= size.Cols {
		return nil, refuse("row %d, col %d is outside the screen of %d rows and %d cols; take the cell from a snapshot", in.Row, in.Col, size.Rows, size.Cols)
	}
	return c.send(ctx, s, session.Input{Mouse: in.events()}, in.waiting, in.sinceArg, in.WaitFor, in.Timeout)
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

// A mouseButton is the argument button: a name, or 1 to 3 as X11 counts.
type mouseButton int

var buttonNames = []string{"left", "middle", "right"}

func (*mouseButton) schema() schemaNode { return schemaNode{Type: "string", Enum: buttonNames} }

func (*mouseButton) want() string { return "one of left, middle, right" }

func (b *mouseButton) decode(raw json.RawMessage) error {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		if i := slices.Index(buttonNames, name); i >= 0 {
			*b = mouseButton(i + 1)
			return nil
		}
		return fmt.Errorf("must be %s, not %q", b.want(), clip(name))
	}
	var n int
	if json.Unmarshal(raw, &n) == nil && n >= 1 && n <= len(buttonNames) {
		*b = mouseButton(n)
		return nil
	}
	return fmt.Errorf("must be %s, not %s", b.want(), describe(raw))
}

var modifierBits = map[string]emulator.Mods{"shift": emulator.Shift, "alt": emulator.Alt, "ctrl": emulator.Ctrl}
