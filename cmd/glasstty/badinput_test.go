package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestBadInput checks the mistakes of a client that has not read the manual. Each error
// must name the value and what to do, and no call may change anything: the shell still
// works afterwards.
func TestBadInput(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain.txt")
	if err := os.WriteFile(plain, []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, tool string
		in         args
		words      []string
	}{
		{"unknown session", "snapshot", args{"session_id": "nope"}, []string{"nope", "list_sessions"}},
		{"unknown session to type to", "send_and_read", args{"session_id": "nope", "text": "x"}, []string{"nope", "list_sessions"}},
		{"unknown session to end", "terminate_process", args{"session_id": "nope"}, []string{"nope", "list_sessions"}},
		{"no session", "send_and_read", args{"text": "x"}, []string{"session_id"}},
		{"unknown argument", "snapshot", args{"session_id": id, "colour": true}, []string{"colour"}},
		{"another server's argument", "start_process", args{"cmd": "bash"}, []string{"cmd", "command"}},
		{"unknown key", "send_keys", args{"session_id": id, "keys": []string{"hyperspace"}}, []string{"hyperspace"}},
		{"unknown key after a good one", "send_keys", args{"session_id": id, "keys": []string{"x", "ctrl+nope"}}, []string{"nope"}},
		{"no keys", "send_keys", args{"session_id": id}, []string{"keys"}},
		{"an empty list of keys", "send_keys", args{"session_id": id, "keys": []string{}}, []string{"keys", "wait_for"}},
		{"unknown format", "snapshot", args{"session_id": id, "format": "jpeg"}, []string{"jpeg", "text", "ansi"}},
		{"unknown until", "wait_for", args{"session_id": id, "until": "tea"}, []string{"tea", "ready"}},
		{"rows 0", "resize_pty", args{"session_id": id, "rows": 0}, []string{"rows", "1", "1000"}},
		{"rows 1001", "start_process", args{"command": "bash", "rows": 1001}, []string{"rows", "1001", "1000"}},
		{"cols -1", "start_process", args{"command": "bash", "cols": -1}, []string{"cols", "-1"}},
		{"cols 1001", "resize_pty", args{"session_id": id, "cols": 1001}, []string{"cols", "1001", "1000"}},
		{"neither rows nor cols", "resize_pty", args{"session_id": id}, []string{"rows", "cols"}},
		{"rows as text", "resize_pty", args{"session_id": id, "rows": "many"}, []string{"rows"}},
		{"timeout too long", "wait_for", args{"session_id": id, "timeout": 601}, []string{"timeout", "600"}},
		{"timeout 0", "wait_for", args{"session_id": id, "timeout": 0}, []string{"timeout", "0.1"}},
		{"bad regex", "wait_for", args{"session_id": id, "pattern": "a(b"}, []string{"a(b"}},
		{"bad regex when sending", "send_and_read", args{"session_id": id, "text": "echo typed\n", "wait_for": "[z-a]"}, []string{"[z-a]"}},
		{"command not found", "start_process", args{"command": "no-such-program"}, []string{"no-such-program", "not"}},
		{"command is empty", "start_process", args{"command": ""}, []string{"command"}},
		{"command with its arguments", "start_process", args{"command": "ls -l /"}, []string{"ls -l /", `"ls"`, `"-l"`, "bash"}},
		{"not executable", "start_process", args{"command": plain}, []string{plain, "execut"}},
		{"a directory", "start_process", args{"command": dir}, []string{dir, "directory"}},
		{"cwd missing", "start_process", args{"command": "bash", "cwd": filepath.Join(dir, "gone")}, []string{"gone"}},
		{"cwd is a file", "start_process", args{"command": "bash", "cwd": plain}, []string{plain, "directory"}},
		{"unknown reader", "read_output", args{"session_id": id, "reader_id": 77}, []string{"77"}},
		{"negative grace period", "terminate_process", args{"session_id": id, "grace_period": -1}, []string{"grace_period", "60"}},
		{"unknown signal", "terminate_process", args{"session_id": id, "signal": "SIGNOPE"}, []string{"SIGNOPE"}},
		{"delete what runs", "delete_session", args{"session_id": id}, []string{id, "terminate_process"}},
		{"another server's tool", "send_command", args{"session_id": id, "input": "ls"}, []string{"send_and_read"}},
		{"no such tool", "make_tea", args{}, []string{"make_tea"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := *a
			b.t = t
			b.fails(c.tool, c.in, c.words...)
		})
	}
	a.line(id, "echo still here").want(t, "prompt", "still here", "")
	if got := len(a.call("list_sessions", nil).Sessions); got != 1 {
		t.Errorf("%d sessions, want 1", got)
	}
	if r := a.call("snapshot", args{"session_id": id, "scrollback": -1}); strings.Contains(r.Screen, "typed") || r.Cols != 80 {
		t.Errorf("a rejected call had an effect: cols %d\n%s", r.Cols, r.Screen)
	}
}

// TestChildThatDoesNotRead checks that typing to a program that never reads fails soon
// after the queues are full, and that other sessions and calls still work.
func TestChildThatDoesNotRead(t *testing.T) {
	need.Long(t)
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	deaf := a.call("start_process", args{"command": "bash", "args": []string{"-c", "stty raw -echo; echo deaf; sleep 1000"},
		"wait_for": "deaf", "timeout": callTimeout}).SessionID
	text := strings.Repeat("nobody reads this\n", 10000) // 180 kB, within what the danger check reads
	var err error
	for range 64 {
		if _, err = a.try("send_input", args{"session_id": deaf, "text": text}); err != nil {
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "not reading") || !strings.Contains(err.Error(), "of 180000 bytes") {
		t.Errorf("error after the queues are full: %v", err)
	}
	id := a.start("bash").SessionID
	a.line(id, "echo fine").want(t, "prompt", "fine", "")
	a.call("terminate_process", args{"session_id": deaf, "grace_period": 1})
}
