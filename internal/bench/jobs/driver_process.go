package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// process drives interactive-process-mcp, which returns the first bytes that
// come: the answer is read with further calls.
type process struct {
	m  *meter
	id string
}

func (p *process) start(ctx context.Context, prog program) (string, error) {
	args := map[string]any{"command": prog.argv[0]}
	if len(prog.argv) > 1 {
		args["args"] = prog.argv[1:]
	}
	if prog.rows > 0 {
		args["rows"] = prog.rows
	}
	text, err := p.m.call(ctx, "start_process", args)
	if err != nil {
		return "", err
	}
	var made struct {
		ID     string `json:"session_id"`
		Output string `json:"initial_output"`
	}
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return "", fmt.Errorf("start_process answered %.80q: %w", text, err)
	}
	p.id = made.ID
	if prog.text != "" {
		return p.line(ctx, prog.text)
	}
	return made.Output, nil
}

func (p *process) line(ctx context.Context, text string) (string, error) {
	out, err := p.m.call(ctx, "send_and_read", map[string]any{"session_id": p.id, "text": text, "press_enter": true})
	return field(out, "output"), err
}

// processKeys are keys as bytes: the server has no names for them.
var processKeys = map[string]string{"enter": "\r", "escape": "\x1b", "space": " ", "ctrl+c": "\x03"}

func (p *process) keys(ctx context.Context, _ bool, keys []string) (string, error) {
	var typed strings.Builder
	for _, k := range keys {
		name, named := split(k)
		if named && processKeys[name] == "" {
			return "", fmt.Errorf("no bytes known for key %q", name)
		} else if named {
			name = processKeys[name]
		}
		typed.WriteString(name)
	}
	out, err := p.m.call(ctx, "send_and_read", map[string]any{"session_id": p.id, "text": typed.String()})
	return field(out, "output"), err
}

func (p *process) more(ctx context.Context) (string, error) {
	peer.Pause(ctx, turn)
	out, err := p.m.call(ctx, "read_output", map[string]any{"session_id": p.id, "timeout": 1})
	return field(out, "output"), err
}
