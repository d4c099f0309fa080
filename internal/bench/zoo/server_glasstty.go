package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// glasstty drives a binary of this repository.
type glasstty struct {
	c    *peer.Client
	id   string
	tape tape
}

// fields are those of a reply that the zoo reads.
type fields struct {
	ID       string `json:"session_id"`
	Output   string `json:"output"`
	Initial  string `json:"initial_output"`
	Screen   string `json:"screen"`
	Prompt   string `json:"prompt"`
	Reason   string `json:"reason"`
	Complete bool   `json:"is_complete"`
}

func (g *glasstty) close() { g.c.Close() }

func (g *glasstty) open(ctx context.Context, argv []string, with map[string]any) (reply, error) {
	args := map[string]any{"command": argv[0]}
	if len(argv) > 1 {
		args["args"] = argv[1:]
	}
	r, err := g.call(ctx, "start_process", args, with)
	g.tape.began(r.began)
	return r, err
}

func (g *glasstty) do(ctx context.Context, s step) (reply, error) {
	tool, args := "send_and_read", map[string]any{"session_id": g.id}
	switch s.verb {
	case "line", "start":
		args["text"], args["press_enter"] = s.text, true
	case "text":
		args["text"] = s.text
	case "wait":
		tool = "wait_for"
		if s.text != "" {
			args["pattern"] = s.text
		}
	case "keys":
		tool = "send_keys"
		args["keys"] = keyArguments(s.keys)
	}
	r, err := g.call(ctx, tool, args, s.with)
	if s.verb != "wait" {
		g.tape.typed = append(g.tape.typed, r.began)
	}
	return r, err
}

// keyArguments returns keys as send_keys takes them: names and single characters, with
// their repeats, or literal text.
func keyArguments(keys []string) []any {
	var out []any
	for _, k := range keys {
		name, _ := repeats(k)
		if _, named := tmuxName(name); named || utf8.RuneCountInString(name) == 1 {
			out = append(out, k)
		} else {
			out = append(out, map[string]any{"text": k})
		}
	}
	return out
}

func (g *glasstty) press(ctx context.Context, p press) error {
	if p.paste {
		_, err := g.c.Call(ctx, "send_input", map[string]any{"session_id": g.id, "text": p.text, "paste": true})
		return err
	}
	var key any = p.name
	if p.name == "" {
		key = map[string]any{"text": p.text}
	}
	_, err := g.call(ctx, "send_keys", map[string]any{"session_id": g.id, "keys": []any{key}, "until": "none"}, nil)
	return err
}

func (g *glasstty) drain(ctx context.Context) (string, error) {
	r, err := g.call(ctx, "read_output", map[string]any{"session_id": g.id, "until": "none"}, nil)
	return r.text, err
}

func (g *glasstty) screen(ctx context.Context) (view, error) {
	if err := g.rewind(ctx); err != nil {
		return view{}, err
	}
	g.tape.play(forever)
	return g.tape.view(), nil
}

// rewind fetches the recording as it is now.
func (g *glasstty) rewind(ctx context.Context) error {
	data, err := g.c.Read(ctx, "cli://"+g.id+"/recording")
	if err != nil {
		return err
	}
	return g.tape.load(data)
}

func (g *glasstty) history(ctx context.Context, r reply) (now, before view, changed time.Time, err error) {
	if err := g.rewind(ctx); err != nil {
		return now, before, changed, err
	}
	came := r.came.Sub(g.tape.zero())
	if r.reason == "exited" { // nothing comes after it
		came = forever
	}
	g.tape.play(came - settling)
	before = g.tape.view()
	g.tape.play(came)
	return g.tape.view(), before, g.tape.zero().Add(g.tape.changed), nil
}

// forever is longer than any recording.
const forever = time.Hour

// settling is how long before a reply a change must have come to be missed in it.
const settling = 25 * time.Millisecond

// call calls a tool and reads its reply.
func (g *glasstty) call(ctx context.Context, tool string, args, with map[string]any) (reply, error) {
	for name, value := range with {
		args[name] = value
	}
	r := reply{began: time.Now()}
	res, err := g.c.Call(ctx, tool, args)
	r.came = time.Now()
	if err != nil {
		return r, err
	}
	if res.IsError {
		return r, fmt.Errorf("%s: %.200s", tool, peer.Text(res))
	}
	f, err := structured(res)
	if err != nil {
		return r, fmt.Errorf("%s: %w", tool, err)
	}
	if f.ID != "" {
		g.id = f.ID
	}
	r.output = f.Output + f.Initial
	r.prompt, r.reason, r.complete = f.Prompt, f.Reason, f.Complete
	r.text = strings.Join([]string{r.output, f.Screen, f.Prompt}, "\n")
	if f.Screen != "" {
		r.output = ""
	}
	return r, nil
}

func structured(res *mcp.CallToolResult) (fields, error) {
	var f fields
	data, err := json.Marshal(res.StructuredContent)
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	return f, err
}
