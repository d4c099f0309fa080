package main

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// withinScript is what a program in a session tries. Each attempt follows a line that
// names it. %[1]s is the path of glasstty, %[2]s the socket, %[3]s the HTTP address.
const withinScript = `
g=%[1]s; s=%[2]s
try() { echo "<$1>"; shift; "$@" 2>&1 | tr -d '\033'; }
try confirm $g confirm_dangerous_command --socket $s session_id=held justification=x 'input=echo fake-danger'
try orphan bash -c "(env -i setsid $g confirm_dangerous_command --socket $s session_id=held justification=x 'input=echo fake-danger' >$PWD/orphan 2>&1; echo done >$PWD/fifo) >/dev/null 2>&1 &"
cat fifo orphan
try held $g send_and_read --socket $s session_id=held 'text=echo fake-danger again' press_enter=true
try attach $g attach --socket $s held
try self $g attach --socket $s --read-only within
try link $g link --socket $s
try look $g link --socket $s --watch-only
try replace $g serve --replace --no-danger --no-http --data-dir "$(dirname $s)/data" --socket "$s.2"
exec 3<>/dev/tcp/%[3]s
printf 'GET /live/events HTTP/1.1\r\nHost: %%s\r\n\r\n' "$(echo %[3]s | tr / :)" >&3
try page head -n 14 <&3
echo "<end>"
`

// TestWithin checks that a program in a session cannot do what is reserved to people:
// confirm held input, attach, make links that type, type on the page, or replace the
// server. It may look.
func TestWithin(t *testing.T) {
	need.Program(t, "bash")
	need.Program(t, "setsid")
	t.Parallel()
	dir := t.TempDir()
	rules := filepath.Join(dir, "rules")
	if err := os.WriteFile(rules, []byte("deny test /fake-danger/ a harmless line for this test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveAt(t, dir, "--port", "0", "--danger-rules", rules)
	a := s.agent("", newest, nil)
	a.call("start_process", args{"command": "bash", "args": []string{"--norc"}, "name": "held", "env": args{"PS1": "$ "}})
	a.fails("send_and_read", args{"session_id": "held", "text": "echo fake-danger", "press_enter": true}, "held", "confirm_dangerous_command")

	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "script")
	text := fmt.Sprintf(withinScript, binary, s.socket, strings.Replace(at.Host, ":", "/", 1))
	if err := os.WriteFile(script, []byte("mkfifo fifo\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	in := a.call("start_process", args{"command": "bash", "args": []string{script}, "cwd": dir, "name": "within", "cols": 1000, "until": "exit", "timeout": callTimeout})
	said := in.InitialOutput
	for _, tt := range []struct{ name, want string }{
		{"confirm", "may not confirm"},
		{"orphan", "may not confirm"},
		{"held", "may not confirm"},
		{"attach", "may only watch"},
		{"self", "runs in that session"},
		{"link", "may only watch"},
		{"look", "http://"},
		{"replace", "runs in one of the sessions"},
		{"page", `"type":false`},
	} {
		_, part, _ := strings.Cut(said, "<"+tt.name+">")
		if part, _, _ = strings.Cut(part, "\n<"); !strings.Contains(part, tt.want) {
			t.Errorf("%s: want %q in %q", tt.name, tt.want, part)
		}
	}
	if shown := a.call("snapshot", args{"session_id": "held"}).Text; strings.Contains(shown, "fake-danger") {
		t.Errorf("the held input was typed:\n%s", shown)
	}
	if t.Failed() {
		t.Log(said)
	}
	// A command outside all sessions may do all that.
	out, err := exec.Command(binary, "confirm_dangerous_command", "--socket", s.socket, "session_id=held", "justification=x", "input=echo fake-danger").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "fake-danger") {
		t.Errorf("from outside: %v, %s", err, out)
	}
	if out, err := exec.Command(binary, "link", "--socket", s.socket).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "http://") {
		t.Errorf("link from outside: %v, %s", err, out)
	}
}

// TestWithinShare checks that people can still connect if a program in a session opens as
// many connections as it can.
func TestWithinShare(t *testing.T) {
	need.Program(t, "python3")
	t.Parallel()
	dir := t.TempDir()
	s := serveAt(t, dir, "--port", "0")
	a := s.agent("", newest, nil)
	script := filepath.Join(dir, "greedy.py")
	text := `import socket, subprocess, sys
held = []
for _ in range(100):
    c = socket.socket(socket.AF_UNIX); c.settimeout(5)
    c.connect(sys.argv[1]); held.append(c)
for c in held[20:]:
    try: c.recv(1)
    except OSError: pass
    else: c.close()
print("greedy", flush=True)
input()
`
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	a.call("start_process", args{"command": "python3", "args": []string{script, s.socket}, "cwd": dir, "wait_for": "greedy", "timeout": callTimeout})
	for range 3 {
		if out, err := exec.Command(binary, "ls", "--socket", s.socket).CombinedOutput(); err != nil || !strings.Contains(string(out), "python3") {
			t.Fatalf("ls: %v, %s", err, out)
		}
	}
	if out, err := exec.Command(binary, "stop", "--socket", s.socket).CombinedOutput(); err != nil {
		t.Errorf("stop: %v, %s", err, out)
	}
}
