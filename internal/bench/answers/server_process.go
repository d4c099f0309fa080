package main

import (
	"context"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// processMCP drives interactive-process-mcp, which serves SSE alone.
type processMCP struct{ c *client }

// newProcess builds the checkout and starts it.
func newProcess(ctx context.Context, p place, dir string) (server, error) {
	c, err := peer.StartProcess(ctx, p.peer(), dir, p.dir)
	if err != nil {
		return nil, err
	}
	return &processMCP{&client{c}}, nil
}

func (s *processMCP) name() string  { return peer.Process }
func (s *processMCP) about() string { return "SSE (it has no stdio); send_and_read; claims nothing" }

func (s *processMCP) close() { s.c.Close() }

func (s *processMCP) start(ctx context.Context, k kind) (session, error) {
	command, argv := k.command, k.args
	if len(k.env) > 0 { // It has no environment argument.
		argv = append([]string{command}, argv...)
		for name, v := range k.env {
			argv = append([]string{name + "=" + v}, argv...)
		}
		command = "env"
	}
	args := map[string]any{"command": command}
	if len(argv) > 0 {
		args["args"] = argv
	}
	f, err := s.c.callJSON(ctx, "start_process", args)
	if err != nil {
		return nil, err
	}
	return &processSession{c: s.c, id: str(f, "session_id"), parent: s.c.PID()}, nil
}

type processSession struct {
	c      *client
	id     string
	parent int
}

func (s *processSession) pid() int { return s.parent }

func (s *processSession) send(ctx context.Context, in input) (answer, error) {
	f, err := s.c.callJSON(ctx, "send_and_read", map[string]any{
		"session_id": s.id, "text": in.text, "press_enter": in.enter, "timeout": sendTimeout.Seconds(),
	})
	if err != nil {
		return answer{}, err
	}
	return answer{text: str(f, "output"), claim: silent, alive: true}, nil
}

func (s *processSession) drain(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "read_output", map[string]any{"session_id": s.id, "timeout": 0.1})
}

func (s *processSession) close(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "terminate_process", map[string]any{"session_id": s.id, "force": true})
	_, _, _ = s.c.call(ctx, "delete_session", map[string]any{"session_id": s.id})
}
