package main

import (
	"context"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// amol drives mcp-interactive-terminal.
type amol struct{ c *client }

// newAmol starts a built checkout, its limits raised above what the trials need.
func newAmol(ctx context.Context, p place, dir string) (server, error) {
	at := p.peer()
	at.Env = append(at.Env, "MCP_TERMINAL_MAX_SESSIONS=100", "MCP_TERMINAL_MAX_OUTPUT=200000")
	c, err := peer.StartAmol(ctx, at, dir)
	if err != nil {
		return nil, err
	}
	return &amol{c: &client{c}}, nil
}

func (a *amol) name() string  { return peer.Amol }
func (a *amol) about() string { return "stdio; send_command; its output is the whole screen" }
func (a *amol) close()        { a.c.Close() }

func (a *amol) start(ctx context.Context, k kind) (session, error) {
	args := map[string]any{"command": k.command, "cols": 80, "rows": 24}
	if len(k.args) > 0 {
		args["args"] = k.args
	}
	if len(k.env) > 0 {
		args["env"] = k.env
	}
	f, err := a.c.callJSON(ctx, "create_session", args)
	if err != nil {
		return nil, err
	}
	return &amolSession{c: a.c, id: str(f, "session_id"), child: num(f, "pid")}, nil
}

type amolSession struct {
	c     *client
	id    string
	child int
}

func (s *amolSession) pid() int { return s.child }

func (s *amolSession) send(ctx context.Context, in input) (answer, error) {
	if !in.enter {
		return answer{}, errCannot("send_command always presses Enter")
	}
	f, err := s.c.callJSON(ctx, "send_command", map[string]any{
		"session_id": s.id, "input": in.text, "timeout_ms": sendTimeout.Milliseconds(),
	})
	if err != nil {
		return answer{}, err
	}
	a := answer{text: str(f, "output"), claim: incomplete, alive: truth(f, "is_alive"), screen: true}
	if truth(f, "is_complete") {
		a.claim = complete
	}
	return a, nil
}

func (s *amolSession) drain(context.Context) {}

func (s *amolSession) close(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "close_session", map[string]any{"session_id": s.id, "signal": "SIGKILL"})
}
