package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// amol drives mcp-interactive-terminal. Its replies are JSON with the screen.
type amol struct {
	m  *meter
	id string
}

func (a *amol) start(ctx context.Context, p program) (string, error) {
	args := map[string]any{"command": p.argv[0]}
	if len(p.argv) > 1 {
		args["args"] = p.argv[1:]
	}
	if p.rows > 0 {
		args["rows"] = min(p.rows, 100) // its limit
	}
	text, err := a.m.call(ctx, "create_session", args)
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return "", fmt.Errorf("create_session answered %.80q: %w", text, err)
	}
	a.id = made.ID
	if p.text != "" { // what it shows by itself is seen with the first answer
		return a.line(ctx, p.text)
	}
	return a.look(ctx)
}

func (a *amol) line(ctx context.Context, text string) (string, error) {
	return a.output(a.m.call(ctx, "send_command", map[string]any{"session_id": a.id, "input": text}))
}

// keys types text up to an Enter as one command, which the server ends with a
// line feed whatever it is, and other keys one by one.
func (a *amol) keys(ctx context.Context, _ bool, keys []string) (string, error) {
	var last, text string
	var err error
	for i, k := range keys {
		name, named := split(k)
		switch {
		case !named:
			text += name
			if i < len(keys)-1 {
				continue
			}
			last, err = a.line(ctx, text)
		case name == "space": // It has no key of that name.
			last, err = a.line(ctx, text+" ")
		case name == "enter" && (text != "" || i == 0):
			last, err = a.line(ctx, text)
		case name == "enter":
			last, err = a.control(ctx, name)
		default:
			if text != "" {
				return "", fmt.Errorf("no way to type %q without Enter", text)
			}
			last, err = a.control(ctx, name)
		}
		text = ""
		if err != nil {
			return "", err
		}
	}
	return last, nil
}

func (a *amol) control(ctx context.Context, name string) (string, error) {
	return a.output(a.m.call(ctx, "send_control", map[string]any{"session_id": a.id, "control": name}))
}

func (a *amol) more(ctx context.Context) (string, error) {
	peer.Pause(ctx, turn)
	return a.look(ctx)
}

func (a *amol) look(ctx context.Context) (string, error) {
	return a.output(a.m.call(ctx, "read_output", map[string]any{"session_id": a.id}))
}

// output takes the screen out of a reply: wanted texts are looked for as they
// are on it. What is not JSON, an error, is returned as it is.
func (a *amol) output(text string, err error) (string, error) {
	return field(text, "output"), err
}

// field returns a string field of a JSON object, or the whole text.
func field(text, name string) string {
	var reply map[string]any
	if json.Unmarshal([]byte(text), &reply) != nil {
		return text
	}
	s, _ := reply[name].(string)
	if alive, ok := reply["is_alive"].(bool); ok && !alive {
		s = strings.TrimRight(s, "\n") + "\nis_alive: false"
	}
	return s
}
