package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// glasstty drives the binary of this repository.
type glasstty struct {
	c *client
}

// newGlasstty starts the binary, which it builds when none is given.
func newGlasstty(ctx context.Context, p place, binary string) (server, error) {
	if binary == "" {
		binary = filepath.Join(p.dir, "glasstty-under-test")
		if err := peer.Build(ctx, binary); err != nil {
			return nil, err
		}
	}
	c, err := peer.StartGlasstty(ctx, p.peer(), binary)
	if err != nil {
		return nil, err
	}
	return &glasstty{c: &client{c}}, nil
}

func (g *glasstty) name() string  { return peer.Glasstty }
func (g *glasstty) about() string { return "stdio; send_and_read with default arguments, explain on" }
func (g *glasstty) close()        { g.c.Close() }

func (g *glasstty) start(ctx context.Context, k kind) (session, error) {
	command, argv := k.command, k.args
	if k.noMarks { // A shell is not known behind env, and gets none.
		command, argv = "env", append([]string{command}, argv...)
	}
	args := map[string]any{"command": command, "timeout": 15}
	if len(argv) > 0 {
		args["args"] = argv
	}
	if len(k.env) > 0 {
		args["env"] = k.env
	}
	_, f, err := g.c.call(ctx, "start_process", args)
	if err != nil {
		return nil, err
	}
	return &glassttySession{c: g.c, id: str(f, "session_id"), child: num(f, "pid")}, nil
}

type glassttySession struct {
	c     *client
	id    string
	child int
}

func (s *glassttySession) pid() int { return s.child }

func (s *glassttySession) send(ctx context.Context, in input) (answer, error) {
	_, f, err := s.c.call(ctx, "send_and_read", map[string]any{
		"session_id": s.id, "text": in.text, "press_enter": in.enter,
		"timeout": sendTimeout.Seconds(), "explain": true, "max_output_chars": 200_000,
	})
	if err != nil {
		return answer{}, err
	}
	a := answer{text: str(f, "output"), claim: incomplete, reason: str(f, "reason"), alive: truth(f, "is_alive")}
	if in.tui {
		a.text = str(f, "screen")
	}
	if truth(f, "is_complete") {
		a.claim = complete
	}
	a.layer, a.explain = explanation(f["explanation"])
	return a, nil
}

// explanation takes the layer and the evidence from a reply's explanation.
func explanation(v any) (layer, all string) {
	m, ok := v.(map[string]any)
	if !ok {
		return "", ""
	}
	data, err := json.Marshal(m)
	if err != nil {
		return str(m, "layer"), ""
	}
	return str(m, "layer"), strings.TrimSpace(string(data))
}

func (s *glassttySession) drain(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "read_output", map[string]any{"session_id": s.id, "until": "none", "timeout": 0.1})
}

func (s *glassttySession) close(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "terminate_process", map[string]any{"session_id": s.id, "force": true})
	_, _, _ = s.c.call(ctx, "delete_session", map[string]any{"session_id": s.id})
}
