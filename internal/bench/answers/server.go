package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A server is one system under test. Its methods may be called at once.
type server interface {
	name() string
	// start begins a session with the kind's program.
	start(ctx context.Context, k kind) (session, error)
	// about is one line on how it is driven.
	about() string
	close()
}

// A session is one program behind a server. One call at a time.
type session interface {
	// pid is the child's process id, or that of one of its ancestors.
	pid() int
	// send types text, and Enter when asked, and waits for the answer.
	send(ctx context.Context, in input) (answer, error)
	// drain takes what is unread and throws it away.
	drain(ctx context.Context)
	close(ctx context.Context)
}

// An input is what one call types.
type input struct {
	text  string
	enter bool
	tui   bool // the answer is on the screen
}

// A claim is what a reply says about the answer being complete.
type claim string

// The claims.
const (
	complete   claim = "complete"
	incomplete claim = "incomplete"
	silent     claim = "nothing" // the server never says
)

// An answer is a reply, as far as the trials look at it.
type answer struct {
	text    string // what the program printed, or its screen
	claim   claim
	reason  string // the server's own word
	layer   string // glasstty's: what decided
	explain string
	alive   bool
	screen  bool // text is the whole screen
	bytes   bool // text was never drawn: a repaint of parts cannot be read from it
}

// errCannot is returned by send when a server has no way to type this input.
type errCannot string

func (e errCannot) Error() string { return string(e) }

// sendTimeout is what every server is given to wait for one answer.
const sendTimeout = 10 * time.Second

// A client is a connection to a server, as the trials call its tools.
type client struct{ *peer.Client }

// call calls a tool and returns its text, and its structured content if any.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (string, map[string]any, error) {
	res, err := c.Call(ctx, tool, args)
	if err != nil {
		return "", nil, err
	}
	text := peer.Text(res)
	if res.IsError {
		return text, nil, fmt.Errorf("%s: %s", tool, text)
	}
	fields, _ := res.StructuredContent.(map[string]any)
	return text, fields, nil
}

// callJSON calls a tool that answers with one JSON object as text.
func (c *client) callJSON(ctx context.Context, tool string, args map[string]any) (map[string]any, error) {
	text, _, err := c.call(ctx, tool, args)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("%s answered %.80q: %w", tool, text, err)
	}
	return fields, nil
}

// str and num take a field of a JSON object, or its zero value.
func str(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func num(m map[string]any, key string) int {
	f, _ := m[key].(float64)
	return int(f)
}

func truth(m map[string]any, key string) bool {
	b, _ := m[key].(bool)
	return b
}

// environ is the environment of every server under test: the helpers first in
// PATH, a home of its own, a plain locale.
func (p place) environ() []string {
	out := []string{
		"PATH=" + p.dir + ":" + os.Getenv("PATH"),
		"HOME=" + p.home,
		"ENV=", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/bash",
		"NODE_REPL_HISTORY=", "HISTFILE=", "PYTHON_HISTORY=" + os.DevNull, "IPYTHONDIR=" + p.home,
		"TMPDIR=" + os.TempDir(),
	}
	for _, keep := range []string{"USER", "LOGNAME", "PYENV_ROOT", "PYENV_VERSION", "NODE_PATH", "GOCOVERDIR"} {
		if v := os.Getenv(keep); v != "" {
			out = append(out, keep+"="+v)
		}
	}
	return out
}

// peer is where a server under test runs.
func (p place) peer() peer.Place { return peer.Place{Home: p.home, Env: p.environ()} }
