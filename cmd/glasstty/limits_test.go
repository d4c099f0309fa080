package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/child"
)

// names returns the words that an error about a reached limit contains: its name and
// value, and how to raise it.
func names(limit, value string) []string {
	return []string{limit + "=" + value, "--" + limit, "GLASSTTY_" + strings.ToUpper(strings.ReplaceAll(limit, "-", "_"))}
}

// says checks that a text contains all words.
func says(t *testing.T, what, text string, words []string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q: %s", what, w, text)
		}
	}
}

// endedBy waits for the end of a session and checks that every call about it names the
// limit that ended it.
func (a *agent) endedBy(id, limit, value string) {
	a.t.Helper()
	words := names(limit, value)
	eventually(a.t, limit+" ends the session", func() bool { // list_sessions does not count as use
		for _, s := range a.call("list_sessions", args{}).Sessions {
			if s.ID == id {
				return s.Status == "exited"
			}
		}
		return false
	})
	says(a.t, "wait_for", a.call("wait_for", args{"session_id": id, "timeout": callTimeout}).Text, words)
	a.fails("send_and_read", args{"session_id": id, "text": "x"}, append(words, "start_process")...)
	a.fails("resize_pty", args{"session_id": id, "rows": 30}, words...)
	for tool, in := range map[string]args{
		"read_output": {"session_id": id}, "snapshot": {"session_id": id}, "list_messages": {"session_id": id},
		"get_session_info": {"session_id": id}, "list_sessions": {}, "terminate_process": {"session_id": id},
	} {
		says(a.t, tool, a.call(tool, in).Text, words)
	}
}

// hogs lists harmless programs that exceed a small limit: some sleeping processes, some
// memory, some seconds of CPU time. All end by themselves.
var hogs = []struct{ limit, value, program, script string }{
	{"max-processes", "10", "bash", "for i in {1..25}; do sleep 20 & done; wait"},
	{"max-memory", "80", "python3", "import time; x = bytearray(b'x') * (160 << 20); time.sleep(20)"},
	{"max-cpu", "0.5", "bash", "while [ $SECONDS -lt 20 ]; do :; done"},
	{"lifetime", "1.5", "bash", "sleep 20"},
	{"idle-timeout", "0.5", "cat", ""},
}

// startHog starts a hog and returns its session's ID.
func startHog(a *agent, program, script string) string {
	in := args{"command": need.Program(a.t, program), "until": "none"}
	if script != "" {
		in["args"] = []string{"-c", script}
	}
	return a.call("start_process", in).SessionID
}

// TestLimitsEnd checks each limit that ends a session, in a server of one client and in a
// daemon.
func TestLimitsEnd(t *testing.T) {
	need.Long(t)
	for _, h := range hogs {
		t.Run(h.limit, func(t *testing.T) {
			if what := map[string]child.LimitName{"max-memory": child.LimitMemory, "max-cpu": child.LimitCPU}[h.limit]; what != "" && !slices.Contains(child.MeasurableLimits(), what) {
				t.Skip("this limit cannot be measured on this system")
			}
			a := connect(t, "mcp", "--"+h.limit, h.value)
			a.endedBy(startHog(a, h.program, h.script), h.limit, h.value)
			if h.limit == "lifetime" || h.limit == "idle-timeout" {
				return // it would end another session soon too
			}
			if r := a.line(a.start("bash", "--norc").SessionID, "echo $((6*7))"); r.Output != "42" {
				t.Errorf("another session: %s", r.Text)
			}
		})
	}
	t.Run("daemon", func(t *testing.T) {
		t.Setenv("GLASSTTY_LIFETIME", "12")
		measured := hogs[:len(child.MeasurableLimits())]
		for _, h := range measured {
			t.Setenv(names(h.limit, "")[2], h.value)
		}
		d := newDaemonRig(t)
		a := d.client(d.home)
		for _, h := range measured {
			a.endedBy(startHog(a, h.program, h.script), h.limit, h.value)
		}
		// The keeper keeps measuring without a server, and the lifetime includes that
		// time.
		late := startHog(a, "bash", "sleep 2; "+hogs[0].script)
		lives := startHog(a, "bash", "sleep 30")
		if err := kill(d.server(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		a.endedBy(late, "max-processes", "10")
		r := a.call("wait_for", args{"session_id": lives, "until": "exit", "timeout": callTimeout})
		says(t, "after the restart", r.Text, names("lifetime", "12"))
		if err := a.session.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestLimitsRefuse checks each limit that rejects a call or shortens an answer.
func TestLimitsRefuse(t *testing.T) {
	need.Long(t)
	a := connect(t, "mcp", "--max-sessions", "2", "--max-output", "1000", "--scrollback", "500", "--input-rate", "4", "--log-size", "1")
	id := a.start("bash", "--norc").SessionID
	cat := a.start("cat").SessionID
	a.fails("start_process", args{"command": "cat"}, append(names("max-sessions", "2"), "terminate_process")...)

	r := a.line(id, "seq 3000")
	if n := len(r.Output); n > 1200 || n < 900 || !r.HasMore {
		t.Errorf("%d bytes of output: %s", n, r.Text)
	}
	says(t, "an output that is too long", r.Text, append(names("scrollback", "500"), "max-output=1000", "max_output_chars"))
	r = a.call("read_output", args{"session_id": id, "from_line": 0, "max_lines": 5})
	says(t, "read_output", r.Text, names("scrollback", "500"))
	if r = a.call("read_output", args{"session_id": id, "tail": 40, "max_output_chars": 5000}); len(r.Output) > 5000 {
		t.Errorf("max_output_chars gave %d bytes", len(r.Output))
	}

	before := a.call("get_session_info", args{"session_id": cat}).Text
	a.fails("send_and_read", args{"session_id": cat, "text": strings.Repeat("x\n", 20<<10), "timeout": 2},
		append(names("input-rate", "4"), "nothing was typed", "longer timeout")...)
	if after := a.call("get_session_info", args{"session_id": cat}).Text; after != before {
		t.Errorf("something was typed: %s", after)
	}
	if r = a.call("send_and_read", args{"session_id": cat, "text": strings.Repeat("x\n", 3<<10), "until": "quiet", "timeout": callTimeout}); r.Status != "running" {
		t.Errorf("after typing 6 KB: %s", r.Text)
	}

	a.line(id, "seq 400000 | tr 1-9 a-i >/dev/null; seq -w 400000")
	a.fails("snapshot", args{"session_id": id, "at": "0"}, names("log-size", "1")...)
}

// TestPasteOfAMegabyte checks that with the default limits one call types a megabyte
// completely.
func TestPasteOfAMegabyte(t *testing.T) {
	need.Long(t)
	a := connect(t, "mcp")
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	id := a.start("bash", "--norc").SessionID
	a.line(id, "stty -echo; cat > '"+file+"'; echo done")
	a.call("send_input", args{"session_id": id, "text": strings.Repeat(strings.Repeat("0123456789", 10)+"\n", 1<<20/101)})
	r := a.finish(a.call("send_keys", args{"session_id": id, "keys": []string{"ctrl+d"}, "wait_for": "done", "timeout": callTimeout}))
	out, err := exec.Command("wc", "-c", file).Output()
	if want := fmt.Sprintf("%d %s\n", 1<<20/101*101, file); err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q: %s", out, err, want, r.Text)
	}
}
