package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/glasstty/glasstty/internal/bench/peer"
	"github.com/glasstty/glasstty/internal/shellquote"
)

// desktop drives Desktop Commander, whose processes have pipes, no terminal.
type desktop struct {
	c    *client
	path string
}

// newDesktop starts the package installed below dir.
func newDesktop(ctx context.Context, p place, dir string) (server, error) {
	c, err := peer.StartDesktop(ctx, p.peer(), dir)
	if err != nil {
		return nil, err
	}
	return &desktop{c: &client{c}, path: p.dir + ":" + os.Getenv("PATH")}, nil
}

func (d *desktop) name() string { return peer.Desktop }
func (d *desktop) about() string {
	return "stdio; interact_with_process; pipes, so the true end is the scripted time and only programs with an interactive flag are tried"
}
func (d *desktop) close() { d.c.Close() }

// interactive are the arguments with which a program talks over pipes, as
// Desktop Commander's own descriptions tell a model to give them; false when
// there are none.
func interactive(k kind) ([]string, bool) {
	if k.nested || k.tui != nil {
		return nil, false
	}
	switch k.command {
	case "bash", "dash", "zsh", "mksh":
		return append(slices.Clone(k.args), "-i"), true // bash wants long options first
	case "python3":
		return append([]string{"-u", "-i"}, k.args...), true
	case "node":
		return []string{"-i"}, true
	case "gdb", "sqlite3":
		return k.args, true
	}
	return nil, false
}

func (d *desktop) start(ctx context.Context, k kind) (session, error) {
	argv, ok := interactive(k)
	if !ok {
		return nil, errCannot("needs a terminal")
	}
	// A login shell runs this line, and may have set another PATH.
	line := "exec env PATH=" + shellquote.Word(d.path)
	for name, v := range k.env {
		line += " " + shellquote.Word(name+"="+v)
	}
	line += " " + k.command
	for _, a := range argv {
		line += " " + shellquote.Word(a)
	}
	text, _, err := d.c.call(ctx, "start_process", map[string]any{"command": line, "timeout_ms": 3000})
	if err != nil {
		return nil, err
	}
	m := regexp.MustCompile(`PID (\d+)`).FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("start_process named no PID: %.200q", text)
	}
	pid, err := strconv.Atoi(m[1])
	return &desktopSession{c: d.c, child: pid}, err
}

type desktopSession struct {
	c     *client
	child int
}

func (s *desktopSession) pid() int { return 0 } // no terminal to find

func (s *desktopSession) send(ctx context.Context, in input) (answer, error) {
	text, _, err := s.c.call(ctx, "interact_with_process", map[string]any{
		"pid": s.child, "input": in.text, "timeout_ms": sendTimeout.Milliseconds(),
	})
	if err != nil {
		return answer{}, err
	}
	a := answer{claim: complete, alive: true}
	if strings.Contains(text, "may be incomplete (timeout reached)") {
		a.claim = incomplete
	}
	if _, out, ok := strings.Cut(text, "📤 Output:\n"); ok {
		a.text = out
	}
	for _, status := range []string{"\n\n\n🔄", "\n\n\n✅", "\n\n\n⏱️", "\n\n⚠️"} {
		a.text, _, _ = strings.Cut(a.text, status)
	}
	return a, nil
}

func (s *desktopSession) drain(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "read_process_output", map[string]any{"pid": s.child, "timeout_ms": 100})
}

func (s *desktopSession) close(ctx context.Context) {
	_, _, _ = s.c.call(ctx, "force_terminate", map[string]any{"pid": s.child})
}
