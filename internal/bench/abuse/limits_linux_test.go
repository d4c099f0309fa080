package abuse

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// newServer returns a rig whose server has the given options and no session.
func newServer(t *testing.T, o session.Options) *rig {
	t.Helper()
	mgr := session.NewManager(o)
	srv, err := mcpserver.New(mgr, mcpserver.Options{Structured: mcpserver.StructuredOn})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, dir: t.TempDir()}
	here, there := mcp.NewInMemoryTransports()
	ctx := context.WithoutCancel(t.Context())
	if _, err := srv.MCP().Connect(ctx, here, nil); err != nil {
		t.Fatal(err)
	}
	if r.client, err = mcp.NewClient(&mcp.Implementation{Name: "abuse", Version: "1"}, nil).Connect(ctx, there, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.client.Close()
		if err := mgr.Close(); err != nil {
			t.Error(err)
		}
		if left := living(t.Name()); len(left) > 0 {
			t.Errorf("processes left behind: %v", left)
		}
	})
	return r
}

// markVar names the test in the environment of every process that it starts.
const markVar = "GLASSTTY_TEST_MARK"

// living returns the IDs of the running processes that a test has started.
func living(test string) (pids []string) {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range environs {
		env, err := os.ReadFile(name)
		if err == nil && bytes.Contains(env, []byte(markVar+"="+test+"\x00")) {
			pids = append(pids, filepath.Base(filepath.Dir(name)))
		}
	}
	return pids
}

// greedy starts a greedy program and returns its session ID.
func (r *rig) greedy(what string) string {
	r.Helper()
	self, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	res := r.call("start_process", map[string]any{
		"command": self, "until": "none", "env": map[string]any{greedVar: what, markVar: r.Name()},
	})
	if res.IsError {
		r.Fatal(text(res))
	}
	return res.StructuredContent.(map[string]any)["session_id"].(string)
}

// TestGreed checks that a session whose programs exceed a limit ends with the name of
// the limit, and that no process of its tree is left.
func TestGreed(t *testing.T) {
	for name, tt := range map[string]struct {
		what, limit string
		limits      session.Limits
	}{
		"a tree of processes":          {"tree", "max-processes=20", session.Limits{Tree: child.Limits{Processes: 20}}},
		"daemons that lose each other": {"daemons", "max-processes=10", session.Limits{Tree: child.Limits{Processes: 10}}},
		"memory that grows":            {"memory", "max-memory=120", session.Limits{Tree: child.Limits{Memory: 120 << 20}}},
		"a busy loop":                  {"cpu", "max-cpu=0.4", session.Limits{Tree: child.Limits{CPU: 400 * time.Millisecond}}},
		"one that ignores signals":     {"stubborn", "lifetime=0.5", session.Limits{Lifetime: 500 * time.Millisecond}},
		"one that waits for ever":      {"idle", "lifetime=0.5", session.Limits{Lifetime: 500 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newServer(t, session.Options{Limits: tt.limits})
			id := r.greedy(tt.what)
			res := r.call("wait_for", map[string]any{"session_id": id, "until": "exit", "timeout": 25})
			if got := text(res); !strings.Contains(got, tt.limit) || !strings.Contains(got, "exited") {
				t.Fatalf("want the limit %s, got %s", tt.limit, got)
			}
			r.call("terminate_process", map[string]any{"session_id": id, "force": true})
			if left := living(t.Name()); len(left) > 0 {
				t.Errorf("%d processes are left", len(left))
			}
		})
	}
}

// TestOutputFlood checks that while a program writes without end, replies stay short,
// the log stays small, and another session answers.
func TestOutputFlood(t *testing.T) {
	dir, err := eventlog.OpenServerDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20
	r := newServer(t, session.Options{Data: dir, Log: eventlog.Options{MaxBytes: most, SegmentBytes: most / 4}, Limits: session.Limits{Output: 5000}})
	id := r.greedy("output")
	for range 20 {
		res := r.call("read_output", map[string]any{"session_id": id, "until": "quiet", "timeout": 0.1})
		if n := len(text(res)); res.IsError || n > 6000 || n < 100 {
			t.Fatalf("the reply has %d bytes: %.300s", n, text(res))
		}
	}
	other := r.greedy("idle")
	if res := r.call("wait_for", map[string]any{"session_id": other, "pattern": "up", "timeout": 20}); !strings.Contains(text(res), "matched") {
		t.Errorf("another session does not answer: %s", text(res))
	}
	size := int64(0)
	if err := filepath.Walk(dir.Path(), func(_ string, i os.FileInfo, err error) error {
		if err == nil && !i.IsDir() {
			size += i.Size()
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if size > 3*most {
		t.Errorf("the logs have %d bytes, want at most three times the limit", size)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestInputFlood checks that input is refused if it exceeds the input rate or if the
// program does not read it.
func TestInputFlood(t *testing.T) {
	t.Parallel()
	r := newServer(t, session.Options{Limits: session.Limits{InputRate: 64 << 10}})
	id := r.greedy("idle")
	send := func(n int) string {
		return text(r.call("send_input", map[string]any{"session_id": id, "text": strings.Repeat("x\n", n/2)}))
	}
	if got := send(4 << 20); !strings.Contains(got, "input-rate=64") || !strings.Contains(got, "nothing was typed") {
		t.Errorf("4 MB of input: %s", got)
	}
	var full atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := send(16 << 10); strings.Contains(got, "is not reading its input") || strings.Contains(got, "slow to read") || strings.Contains(got, "input-rate=64") {
				full.Add(1)
			}
		})
	}
	all.Wait()
	if full.Load() == 0 {
		t.Error("the server accepted 128 KB of input for a program that reads nothing")
	}
	if res := r.call("snapshot", map[string]any{"session_id": id}); res.IsError {
		t.Error(text(res))
	}
}

// TestCrowds checks the limits on sessions, readers and messages, and that every one of
// many concurrent waits is answered.
func TestCrowds(t *testing.T) {
	r := newServer(t, session.Options{MaxSessions: 8})
	id := r.greedy("idle")
	r.call("wait_for", map[string]any{"session_id": id, "pattern": "up", "timeout": 20})
	count := func(n int, tool string, args map[string]any, refused string) (done int) {
		var all sync.WaitGroup
		var mu sync.Mutex
		for range n {
			all.Go(func() {
				res := r.call(tool, args)
				mu.Lock()
				defer mu.Unlock()
				switch got := text(res); {
				case !res.IsError:
					done++
				case !strings.Contains(got, refused):
					t.Errorf("%s: %s", tool, got)
				}
			})
		}
		all.Wait()
		return done
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if n := count(30, "start_process", map[string]any{"command": self, "until": "none", "env": map[string]any{greedVar: "idle", markVar: t.Name()}}, "max-sessions=8"); n != 7 {
		t.Errorf("started %d more sessions, want 7", n)
	}
	if n := count(200, "register_reader", map[string]any{"session_id": id}, "unregister_reader"); n != 63 {
		t.Errorf("registered %d more readers, want 63", n)
	}
	if n := count(500, "wait_for", map[string]any{"session_id": id, "until": "exit", "timeout": 1}, "none is refused"); n != 500 {
		t.Errorf("%d of 500 waits were answered", n)
	}
	for i := range 1100 { // more than the number of messages that are kept
		r.call("send_input", map[string]any{"session_id": id, "text": fmt.Sprint(i % 10)})
	}
	res := r.call("list_messages", map[string]any{"session_id": id, "limit": 1000})
	if n := len(res.StructuredContent.(map[string]any)["messages"].([]any)); n > 1000 {
		t.Errorf("%d messages are kept", n)
	}
}
