package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// amol drives mcp-interactive-terminal. Its send_command ends what it types with
// a line feed, and its send_control has no names for Space and for most letters.
type amol struct {
	c  *peer.Client
	id string
}

func (a *amol) close() { a.c.Close() }

func (a *amol) open(ctx context.Context, argv []string, _ map[string]any) (reply, error) {
	began := time.Now()
	args := map[string]any{"command": argv[0], "cols": 80, "rows": 24}
	if len(argv) > 1 {
		args["args"] = argv[1:]
	}
	text, err := a.call(ctx, "create_session", args)
	if err != nil {
		return reply{}, err
	}
	var made struct {
		ID string `json:"session_id"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return reply{}, fmt.Errorf("create_session answered %.80q: %w", text, err)
	}
	a.id = made.ID
	v, err := a.screen(ctx)
	return reply{text: v.text, began: began, came: time.Now()}, err
}

func (a *amol) do(ctx context.Context, s step) (reply, error) {
	r := reply{began: time.Now()}
	var err error
	if s.verb == "wait" {
		v, err := a.screen(ctx)
		r.text, r.came = v.text, time.Now()
		return r, err
	}
	text := ""
	for _, p := range s.presses() {
		switch {
		case p.name == "space":
			text += " "
		case p.name == "":
			text += p.text
		case p.name == "enter" && text != "":
			r.text, err = a.output(ctx, "send_command", map[string]any{"input": text})
			text = ""
		case text != "":
			return r, errCannot("text without Enter")
		default:
			r.text, err = a.output(ctx, "send_control", map[string]any{"control": p.name})
		}
		if err != nil {
			return r, err
		}
	}
	if text != "" {
		return r, errCannot("text without Enter")
	}
	r.came = time.Now()
	return r, nil
}

func (a *amol) press(context.Context, press) error { return errCannot("a letter by itself") }

func (a *amol) screen(ctx context.Context) (view, error) {
	text, err := a.output(ctx, "read_output", nil)
	return view{text: text}, err
}

func (a *amol) drain(context.Context) (string, error) { return "", nil }

// output calls a tool of the session and returns the screen that it answers.
func (a *amol) output(ctx context.Context, tool string, args map[string]any) (string, error) {
	all := map[string]any{"session_id": a.id}
	for name, value := range args {
		all[name] = value
	}
	text, err := a.call(ctx, tool, all)
	if err != nil {
		return "", err
	}
	var r struct {
		Output string `json:"output"`
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return "", fmt.Errorf("%s answered %.80q: %w", tool, text, err)
	}
	return r.Output, nil
}

func (a *amol) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	res, err := a.c.Call(ctx, tool, args)
	if err != nil {
		return "", err
	}
	text := peer.Text(res)
	if res.IsError {
		return "", errCannot(fmt.Sprintf("%s: %.120s", tool, text))
	}
	return text, nil
}
