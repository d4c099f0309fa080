package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

func TestVim(t *testing.T) {
	need.Program(t, "vim")
	t.Parallel()
	a := connect(t)
	file := filepath.Join(t.TempDir(), "note.txt")
	if err := os.WriteFile(file, []byte("first\nlast\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := a.start("vim", "-u", "NONE", "-N", "-n", file)
	id := r.SessionID
	if !r.FullScreen || !strings.Contains(r.Screen, "first\nlast\n~") {
		t.Errorf("vim starts: fullscreen %v, screen:\n%s", r.FullScreen, r.Screen)
	}
	a.keys(id, "o")
	r = a.finish(a.call("send_and_read", args{"session_id": id, "text": "naïve 日本語 middle", "timeout": callTimeout}))
	r = a.call("snapshot", args{"session_id": id})
	if !strings.Contains(r.Screen, "-- INSERT --") || !strings.Contains(r.Screen, "first\nnaïve 日本語 middle\nlast") {
		t.Errorf("while inserting:\n%s", r.Screen)
	}
	r = a.keys(id, "escape", args{"text": ":wq"}, "enter")
	if r.Reason != "exited" || r.ExitCode == nil || *r.ExitCode != 0 {
		t.Errorf(":wq: reason %q, exit code %v", r.Reason, r.ExitCode)
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "first\nnaïve 日本語 middle\nlast\n" {
		t.Errorf("on disk: %q, %v", got, err)
	}
}

func TestTop(t *testing.T) {
	need.Program(t, "top")
	t.Parallel()
	a := connect(t)
	r := a.call("start_process", args{"command": "top", "args": []string{"-d", "1"}, "timeout": callTimeout, "wait_for": "PID +USER"})
	id := r.SessionID
	if !r.FullScreen || !strings.Contains(r.Screen, "load average") || !strings.Contains(r.Screen, "PID USER") {
		t.Errorf("top starts: fullscreen %v, screen:\n%s", r.FullScreen, r.Screen)
	}
	// A wait for a program that repaints every second ends before its timeout.
	r = a.call("wait_for", args{"session_id": id, "until": "ready", "timeout": callTimeout})
	if r.Reason != "awaiting_input" && r.Reason != "settled" {
		t.Errorf("top between frames: reason %q", r.Reason)
	}
	a.call("resize_pty", args{"session_id": id, "rows": 12, "cols": 60})
	// top draws 12 rows of at most 60 columns once it has received the signal: five header
	// lines, a blank line, the column titles and five processes.
	eventually(t, "top to draw in its new size", func() bool {
		r = a.call("snapshot", args{"session_id": id})
		lines := strings.Split(r.Screen, "\n")
		return len(lines) > 6 && strings.Contains(lines[6], "PID USER") && strings.HasPrefix(lines[0], "top - ")
	})
	if r.Cols != 60 || r.Rows != float64(12) {
		t.Errorf("after the resize: %v rows, %d cols", r.Rows, r.Cols)
	}
	for _, l := range strings.Split(r.Screen, "\n") {
		if len([]rune(l)) > 60 {
			t.Errorf("row of %d columns, want at most 60: %q", len([]rune(l)), l)
		}
	}
	r = a.keys(id, "q")
	if r.Reason != "exited" || r.ExitCode == nil || *r.ExitCode != 0 {
		t.Errorf("q: reason %q, exit code %v", r.Reason, r.ExitCode)
	}
}

func TestResizeReachesTheChild(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	a.line(id, "stty size").want(t, "prompt", "24 80", "")
	// SIGWINCH also reaches a program that waits for nothing else.
	const wait = `trap 'stty size; exit' WINCH; echo waiting; while :; do sleep 1; done`
	child := a.call("start_process", args{"command": "bash", "args": []string{"-c", wait}, "wait_for": "waiting", "timeout": callTimeout}).SessionID
	a.call("resize_pty", args{"session_id": child, "rows": 40, "cols": 132})
	r := a.call("wait_for", args{"session_id": child, "until": "exit", "timeout": callTimeout})
	r.want(t, "exited", "40 132", "")
	a.call("resize_pty", args{"session_id": id, "cols": 132})
	a.line(id, "stty size").want(t, "prompt", "24 132", "")
}

func TestSnapshotFormats(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	a.line(id, `clear; printf '\033[1;31mred\033[m plain\n'; seq 40`)
	r := a.call("snapshot", args{"session_id": id, "scrollback": -1})
	if !strings.Contains(r.Screen, "red plain\n1\n2\n") {
		t.Errorf("with scrollback:\n%s", r.Screen)
	}
	r = a.call("snapshot", args{"session_id": id})
	if strings.Contains(r.Screen, "red") || !strings.Contains(r.Screen, "39\n40") {
		t.Errorf("without scrollback:\n%s", r.Screen)
	}
	r = a.call("snapshot", args{"session_id": id, "scrollback": -1, "format": "ansi"})
	if !strings.Contains(r.Content+r.Screen, "\x1b[1;31mred\x1b[") {
		t.Errorf("ansi: %q", r.Content+r.Screen)
	}
}
