package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const processName = "interactive-process-mcp"

// processMCP drives interactive-process-mcp, which serves SSE alone.
type processMCP struct {
	c   *client
	cmd *exec.Cmd
}

// newProcess builds the checkout and starts it on a free loopback port.
func newProcess(ctx context.Context, p place, dir string) (server, error) {
	bin := filepath.Join(p.dir, "interactive-process-under-test")
	build := exec.CommandContext(ctx, "go", "build", "-o", bin, "./cmd/server")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build: %w: %s", err, out)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(bin, "-port", strconv.Itoa(port), "-data-dir", filepath.Join(p.home, "ipm"), "-log-level", "error")
	cmd.Env = environ(p)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &processMCP{cmd: cmd}
	if err := s.dial(ctx, fmt.Sprintf("http://127.0.0.1:%d/sse", port)); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// dial connects as soon as the server listens.
func (s *processMCP) dial(ctx context.Context, url string) error {
	c := mcp.NewClient(&mcp.Implementation{Name: "glasstty-answers", Version: "1"}, nil)
	var err error
	for range 50 {
		var conn *mcp.ClientSession
		if conn, err = c.Connect(ctx, &mcp.SSEClientTransport{Endpoint: url}, nil); err == nil {
			s.c = &client{cmd: s.cmd, conn: conn}
			return nil
		}
		if !pause(ctx, 100*time.Millisecond) {
			return ctx.Err()
		}
	}
	return err
}

// freePort returns a loopback port that nobody listens on now.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func (s *processMCP) name() string  { return processName }
func (s *processMCP) about() string { return "SSE (it has no stdio); send_and_read; claims nothing" }

func (s *processMCP) close() {
	if s.c != nil {
		s.c.close()
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

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
	return &processSession{c: s.c, id: str(f, "session_id"), parent: s.cmd.Process.Pid}, nil
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
