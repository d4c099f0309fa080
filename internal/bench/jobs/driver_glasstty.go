package main

import (
	"context"
	"strings"
)

// glasstty drives the server of this repository.
type glasstty struct {
	m      *meter
	id     string
	terse  bool
	screen bool // the last reply was a screen
}

func (g *glasstty) start(ctx context.Context, p program) (string, error) {
	args := map[string]any{"command": p.argv[0]}
	if len(p.argv) > 1 {
		args["args"] = p.argv[1:]
	}
	if p.rows > 0 {
		args["rows"] = p.rows
	}
	if p.text != "" {
		args["text"], args["press_enter"] = p.text, true
	}
	if len(p.then) > 0 {
		args["steps"] = stepList(p.then)
	}
	if g.terse = p.terse; g.terse {
		args["compact"] = true
	}
	text, err := g.call(ctx, "start_process", args)
	g.id = statusID(text)
	return text, err
}

func (g *glasstty) line(ctx context.Context, text string) (string, error) {
	args := map[string]any{"session_id": g.id, "text": text, "press_enter": true}
	if g.terse {
		args["compact"] = true
	}
	return g.call(ctx, "send_and_read", args)
}

func (g *glasstty) batch(ctx context.Context, list []exchange) (string, error) {
	return g.call(ctx, "run_steps", map[string]any{"session_id": g.id, "steps": stepList(list)})
}

// stepList returns exchanges as the tools take them.
func stepList(list []exchange) []any {
	var steps []any
	for _, e := range list {
		step := map[string]any{}
		if e.keys != nil {
			step["keys"] = keyList(e.keys)
		} else {
			step["text"], step["press_enter"] = e.line, true
		}
		if e.expect != "" {
			step["expect"] = e.expect
		}
		steps = append(steps, step)
	}
	return steps
}

func (g *glasstty) keys(ctx context.Context, changed bool, keys []string) (string, error) {
	args := map[string]any{"session_id": g.id, "keys": keyList(keys)}
	if changed {
		args["view"] = "diff"
	}
	return g.call(ctx, "send_keys", args)
}

// keyList returns keys as the tools take them.
func keyList(keys []string) []any {
	var list []any
	for _, k := range keys {
		if name, named := split(k); named || len(k) == 1 {
			list = append(list, name)
		} else {
			list = append(list, map[string]any{"text": k})
		}
	}
	return list
}

func (g *glasstty) more(ctx context.Context) (string, error) {
	args := map[string]any{"session_id": g.id, "timeout": 5}
	if g.screen {
		args["until"] = "change"
	}
	return g.call(ctx, "wait_for", args)
}

// call calls a tool and notes whether a screen came.
func (g *glasstty) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	text, err := g.m.call(ctx, tool, args)
	g.screen = strings.Contains(text[strings.LastIndexByte(text, '\n')+1:], "fullscreen")
	return text, err
}
