package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience bounds every wait of the end-to-end tests. No test here measures time: on a
// slow machine the tests are slow, but still pass.
const patience = 2 * time.Minute

// callTimeout is the timeout argument of calls that should end by themselves. It is below
// the server's own limit for one call.
const callTimeout = 45

// markVar names the environment variable by which a test finds every descendant of its
// server.
const markVar = "GLASSTTY_TEST_MARK"

// An agent drives a server as a model's client would.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
	mark    string
	stderr  *lockedBuffer
}

// A lockedBuffer is a bytes.Buffer that a process writes to while a test reads.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// server returns a command that runs the built binary, in an environment of its own that
// all its descendants inherit.
func server(t *testing.T, args ...string) (cmd *exec.Cmd, mark string, stderr *lockedBuffer) {
	t.Helper()
	mark = fmt.Sprintf("%s-%d-%d", strings.ReplaceAll(t.Name(), "/", "-"), os.Getpid(), time.Now().UnixNano())
	stderr = &lockedBuffer{}
	cmd = exec.Command(binary, args...)
	cmd.Dir = t.TempDir()
	cmd.Stderr = stderr
	cmd.Env = append(os.Environ(), markVar+"="+mark, "HOME="+cmd.Dir, "XDG_STATE_HOME="+filepath.Join(cmd.Dir, ".state"), "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "GLASSTTY_LOG_LEVEL=debug")
	t.Cleanup(func() {
		for _, p := range leftovers(mark) {
			t.Errorf("left behind: %s", p)
		}
		if t.Failed() {
			t.Logf("standard error of the server:\n%s", tail(stderr.String(), 4000))
		}
	})
	return cmd, mark, stderr
}

// tail returns at most the last n bytes of s.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// connect starts a server and connects to it. The cleanup closes the server's input and
// checks that the server exits with success.
func connect(t *testing.T, args ...string) *agent {
	t.Helper()
	cmd, mark, stderr := server(t, args...)
	client := mcp.NewClient(&mcp.Implementation{Name: "glasstty-test", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd, TerminateDuration: patience}, nil)
	if err != nil {
		t.Fatalf("connect: %v\n%s", err, stderr)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("server exit: %v", err)
		}
	})
	return &agent{t: t, session: session, mark: mark, stderr: stderr}
}

// args are a tool call's arguments.
type args map[string]any

// A result is a tool's answer, as text and as structured content. It has the fields that
// the tests use.
type result struct {
	Text string `json:"-"` // the text form

	SessionID     string `json:"session_id"`
	ReaderID      int    `json:"reader_id"`
	PID           int    `json:"pid"`
	InitialOutput string `json:"initial_output"`
	Output        string `json:"output"`
	Screen        string `json:"screen"`
	Content       string `json:"content"`
	Prompt        string `json:"prompt"`
	Status        string `json:"status"`
	Reason        string `json:"reason"`
	IsAlive       bool   `json:"is_alive"`
	IsComplete    bool   `json:"is_complete"`
	ExitCode      *int   `json:"exit_code"`
	FullScreen    bool   `json:"fullscreen"`
	Title         string `json:"title"`
	Hint          string `json:"hint"`
	HasMore       bool   `json:"has_more"`
	Rows          any    `json:"rows"`
	Cols          int    `json:"cols"`
	Revision      uint64 `json:"revision"`
	BytesAccepted int    `json:"bytes_accepted"`

	Sessions []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	} `json:"sessions"`
}

// invoke calls a tool and returns its answer, which may be a tool error.
func (a *agent) invoke(ctx context.Context, tool string, in args) (*mcp.CallToolResult, error) {
	return a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
}

// try calls a tool and decodes its result. A tool error is returned as an error with the
// tool's text.
func (a *agent) try(tool string, in args) (result, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res, err := a.invoke(ctx, tool, in)
	if err != nil {
		return result{}, err
	}
	var r result
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			r.Text += text.Text
		}
	}
	if res.IsError {
		return r, fmt.Errorf("%s", r.Text)
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("structured content %s: %w", data, err)
	}
	if r.Text == "" {
		return r, fmt.Errorf("%s: no text, structured content %s", tool, data)
	}
	return r, nil
}

// call calls a tool that must succeed.
func (a *agent) call(tool string, in args) result {
	a.t.Helper()
	r, err := a.try(tool, in)
	if err != nil {
		a.t.Fatalf("%s %v: %v", tool, in, err)
	}
	return r
}

// fails calls a tool that must fail with an error that contains all the words.
func (a *agent) fails(tool string, in args, words ...string) {
	a.t.Helper()
	_, err := a.try(tool, in)
	if err == nil {
		a.t.Errorf("%s %v: no error", tool, in)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			a.t.Errorf("%s %v: error lacks %q: %v", tool, in, w, err)
		}
	}
}

// start starts a program and waits until it is ready.
func (a *agent) start(command string, arg ...string) result {
	a.t.Helper()
	in := args{"command": command, "timeout": callTimeout}
	if len(arg) > 0 {
		in["args"] = arg
	}
	r := a.call("start_process", in)
	r.Output = r.InitialOutput
	return a.finish(r)
}

// line types a line and Enter, and waits until the program has answered.
func (a *agent) line(id, text string) result {
	a.t.Helper()
	return a.finish(a.call("send_and_read", args{"session_id": id, "text": text, "press_enter": true, "timeout": callTimeout}))
}

// keys presses keys and waits until the program has answered.
func (a *agent) keys(id string, keys ...any) result {
	a.t.Helper()
	return a.finish(a.call("send_keys", args{"session_id": id, "keys": keys, "timeout": callTimeout}))
}

// finish waits on, as an agent does, while the server says that the answer may be
// incomplete. It returns the last reply with all the output.
func (a *agent) finish(r result) result {
	a.t.Helper()
	output := r.Output
	for deadline := time.Now().Add(patience); !r.IsComplete && time.Now().Before(deadline); {
		id := r.SessionID
		r = a.call("wait_for", args{"session_id": id, "until": "ready", "timeout": callTimeout})
		r.SessionID = id
		output += r.Output
	}
	if !r.IsComplete {
		a.t.Fatalf("still not complete: reason %s, output %q", r.Reason, output)
	}
	r.Output = output
	return r
}

// eventually waits until ok returns true because of something outside this process.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("still waiting for %s", what)
		}
	}
}
