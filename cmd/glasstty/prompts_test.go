package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// want checks a reply. An empty prompt matches any.
func (r result) want(t *testing.T, reason, output, prompt string) {
	t.Helper()
	if r.Reason != reason || r.Output != output {
		t.Errorf("got reason %q, output %q; want %q, %q", r.Reason, r.Output, reason, output)
	}
	if prompt != "" && strings.TrimRight(r.Prompt, " ") != prompt {
		t.Errorf("got prompt %q, want %q", r.Prompt, prompt)
	}
}

func TestPython(t *testing.T) {
	need.Program(t, "python3")
	t.Parallel()
	a := connect(t)
	r := a.start("python3", "-q")
	id := r.SessionID
	r.want(t, "prompt", "", ">>>")

	a.line(id, "x = 6").want(t, "prompt", "", ">>>")
	a.line(id, "x * 7").want(t, "prompt", "42", ">>>")
	a.line(id, "def f(n):\n    return n * n\n").want(t, "prompt", "", ">>>")
	a.line(id, "f(12)").want(t, "prompt", "144", ">>>")

	r = a.line(id, "1 / 0")
	if !strings.Contains(r.Output, "ZeroDivisionError: division by zero") {
		t.Errorf("1 / 0: %q", r.Output)
	}
	// A pause in the output is not taken for its end.
	a.line(id, "import time; print('a'); time.sleep(1.5); print('b')").want(t, "prompt", "a\nb", ">>>")
	a.line(id, "print('é 日本 👍')").want(t, "prompt", "é 日本 👍", ">>>")

	// A question ends the wait, and its answer is not a command.
	r = a.line(id, "name = input('Your name? ')")
	if r.Reason != "awaiting_input" && r.Reason != "prompt" {
		t.Errorf("a question: reason %q", r.Reason)
	}
	if strings.TrimRight(r.Prompt, " ") != "Your name?" && !strings.Contains(r.Output, "Your name?") {
		t.Errorf("a question: output %q, prompt %q", r.Output, r.Prompt)
	}
	a.line(id, "Ada")
	a.line(id, "name").want(t, "prompt", "'Ada'", ">>>")

	r = a.line(id, "exit(3)")
	if r.Reason != "exited" || r.Status != "exited" || r.IsAlive || r.ExitCode == nil || *r.ExitCode != 3 {
		t.Errorf("exit(3): %+v", r)
	}
}

func TestBash(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID

	a.line(id, "echo hello").want(t, "prompt", "hello", "")
	r := a.line(id, "ls /does-not-exist")
	if r.Reason != "prompt" || !strings.Contains(r.Output, "No such file or directory") {
		t.Errorf("a failing command: reason %q, output %q", r.Reason, r.Output)
	}
	a.line(id, "echo status $?").want(t, "prompt", "status 2", "")
	a.line(id, "sleep 1.5; echo late").want(t, "prompt", "late", "")
	a.line(id, "cd / && pwd").want(t, "prompt", "/", "")
	// The echo of a command wider than the screen wraps.
	long := strings.Repeat("x", 200)
	a.line(id, "echo "+long).want(t, "prompt", long, "")
	// An unfinished line gets the continuation prompt.
	r = a.line(id, "echo 'one")
	if strings.TrimSpace(r.Prompt) != ">" {
		t.Errorf("an open quote: prompt %q", r.Prompt)
	}
	a.line(id, "two'").want(t, "prompt", "one\ntwo", "")

	r = a.line(id, "exit 4")
	if r.Reason != "exited" || r.ExitCode == nil || *r.ExitCode != 4 {
		t.Errorf("exit 4: %+v", r)
	}
}

// TestManyLines checks that 5,000 lines can be read at once, as head and tail, and page by
// page, without losing one.
func TestManyLines(t *testing.T) {
	need.Program(t, "bash")
	t.Parallel()
	a := connect(t)
	id := a.start("bash").SessionID
	var all []string
	for i := range 5000 {
		all = append(all, fmt.Sprintf("line %d", i+1))
	}
	const command = "for i in {1..5000}; do echo line $i; done"

	r := a.finish(a.call("send_and_read", args{"session_id": id, "text": command, "press_enter": true,
		"timeout": callTimeout, "max_output_chars": 200000}))
	if got := strings.Split(r.Output, "\n"); !equal(got, all) {
		t.Errorf("got %d lines, %q … %q", len(got), got[0], got[len(got)-1])
	}

	// By default the output is limited to its head and tail, with a line between them
	// about the rest.
	r = a.line(id, command)
	lines := strings.Split(r.Output, "\n")
	if lines[0] != all[0] || lines[len(lines)-1] != all[4999] {
		t.Errorf("head and tail: %q … %q", lines[0], lines[len(lines)-1])
	}
	if len(r.Output) > 6500 || !strings.Contains(r.Output, "from_line=") {
		t.Errorf("%d characters, and how to read the rest: %v", len(r.Output), strings.Contains(r.Output, "from_line="))
	}

	a.call("send_input", args{"session_id": id, "text": command + "; echo over\n"})
	a.call("wait_for", args{"session_id": id, "pattern": "^over$", "reader_id": 0, "timeout": callTimeout, "max_lines": 1})
	var paged []string
	for range 100 {
		r = a.call("read_output", args{"session_id": id, "max_lines": 700, "timeout": callTimeout})
		paged = append(paged, strings.Split(r.Output, "\n")...)
		if !r.HasMore {
			break
		}
	}
	if want := append(all[1:], "over"); !equal(lastLines(paged, len(want)), want) {
		t.Errorf("paging gave %d lines, the last is %q", len(paged), paged[len(paged)-1])
	}
}

func lastLines(s []string, n int) []string { return s[max(0, len(s)-n):] }

func equal(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }
