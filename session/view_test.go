package session

import (
	"runtime"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// linuxOnly skips a test that needs the kernel's view of programs.
func linuxOnly(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux gives the kernel's view of programs")
	}
}

// TestNodeAwait checks that a program that reads keys while it waits for its own timer is not taken
// to be at its prompt.
func TestNodeAwait(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	s, _ := launchWith(t, m, StartOptions{Command: "node", Env: map[string]string{"NO_COLOR": "1", "NODE_DISABLE_COLORS": "1"}})
	for range 3 {
		expect(t, say(t, s, "1+1"), detect.Prompt, "2")
		expect(t, say(t, s, "await new Promise(r => setTimeout(r, 300)); 'late'"), detect.Prompt, "'late'")
	}
}

// TestReplyIsInput checks that a program that waits for a reply of the terminal is not taken to
// wait for its user.
func TestReplyIsInput(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	for range 10 {
		s, r := launch(t, m, "bash", "-c", `stty raw -echo; printf '\033[6n'; read -rs -d R x; stty sane; sleep 0.05; echo answered; read x`)
		if r.Reason == detect.Settled && r.Output == "" {
			r = exchange(t, s, Input{}, Wait{Timeout: patience, Explain: true}) // a slow start
		}
		expect(t, r, detect.AwaitingInput, "answered")
	}
}

// TestUnfinishedLine checks that the program is still seen waiting after text without Enter, which
// the kernel holds back until the line is complete.
func TestUnfinishedLine(t *testing.T) {
	linuxOnly(t)
	m := newManager(t)
	s, _ := launch(t, m, "cat")
	r := exchange(t, s, Input{Text: "half"}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.AwaitingInput || r.Elapsed > patience/2 {
		t.Errorf("reason %s after %s: %+v", r.Reason, r.Elapsed, r.Explain)
	}
	expect(t, say(t, s, " whole"), detect.AwaitingInput, "half whole")
}

// blindProgram waits for its terminal and for a socket whatever it does, as ssh does: only its
// prompts show that it is ready. Each line typed becomes its next prompt, and the answer begins
// with a text that looks like a prompt.
const blindProgram = `
import select, socket, os, time
l = socket.create_server(("127.0.0.1", 0))
a = socket.create_connection(l.getsockname())
b = l.accept()[0]
prompt = "one> "
def wait(t=None): return select.select([0, b], [], [], t)[0]
while True:
    os.write(1, prompt.encode())
    wait()
    prompt = os.read(0, 100).decode().strip() + "> "
    os.write(1, b"fake$ ")
    end = time.time() + 0.15
    while time.time() < end: wait(end - time.time())
    os.write(1, b"\nanswer\n")
`

// TestBlindPrompts checks a program whose way of waiting shows nothing: a text that only looks like
// a prompt does not end its answer, and a new prompt is learned once something was typed at it.
func TestBlindPrompts(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	s, r := launch(t, m, need.Program(t, "python3"), "-c", blindProgram)
	if r.Reason != detect.Prompt || r.Prompt != "one> " {
		t.Fatalf("start: reason %s, prompt %q: %+v", r.Reason, r.Prompt, r.Explain)
	}
	expect(t, say(t, s, "one"), detect.Prompt, "fake$\nanswer")
	expect(t, say(t, s, "two"), detect.Settled, "fake$\nanswer\ntwo> ")
	exchange(t, s, Input{}, Wait{Until: UntilNone})
	expect(t, say(t, s, "two"), detect.Prompt, "fake$\nanswer")
}

// TestUnfinishedOutput checks that the sign that zsh and fish show after output without a final
// newline is not output, and that an empty line brings the prompt back.
func TestUnfinishedOutput(t *testing.T) {
	t.Parallel()
	for _, sh := range []string{"zsh", "fish"} {
		t.Run(sh, func(t *testing.T) {
			m := newManager(t)
			s, _ := launch(t, m, sh)
			for range 2 {
				r := say(t, s, "printf abc")
				expect(t, r, detect.Prompt, "abc")
				if r.Last == nil || r.Last.Text != "printf abc" {
					t.Errorf("last command %+v", r.Last)
				}
				expect(t, say(t, s, ""), detect.Prompt, "")
			}
		})
	}
}

// TestPaintedPrompt checks a program that places each row of its main screen itself, as bpython
// does, and waits for a socket in addition to its terminal. Only the text at its cursor shows that
// it is at its prompt.
func TestPaintedPrompt(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	const code = `
import os, select, socket, time, tty
tty.setraw(0)
server = socket.create_server(("127.0.0.1", 0))
other = socket.create_connection(server.getsockname())
def put(row, s): os.write(1, ("\x1b[%d;1H%s\x1b[K" % (row, s)).encode())
print("a painter of rows", end="\r\n", flush=True)
row, line = 3, ""
def prompt():
    put(row + 1, "press F1 for help")
    put(row, "\x1b[36mq> \x1b[m" + line)
prompt()
while True:
    select.select([0, other], [], [])
    for c in os.read(0, 100).decode():
        if c != "\r":
            line += c
            prompt()
            continue
        if "nap" in line: time.sleep(0.5)
        put(row + 1, "took " + line)
        row, line = row + 2, ""
        prompt()
`
	s, r := launch(t, newManager(t), "python3", "-c", code)
	if r.Reason != detect.Prompt || r.Prompt != "q> " {
		t.Fatalf("start: reason %s, prompt %q, %+v", r.Reason, r.Prompt, r.Explain)
	}
	for _, line := range []string{"one", "a nap", "two"} {
		r := say(t, s, line)
		if r.Reason != detect.Prompt || r.Prompt != "q> " || !strings.Contains(r.Output, "took "+line) {
			t.Errorf("%q: reason %s, prompt %q, %+v", line, r.Reason, r.Prompt, r.Explain)
		}
	}
}

// TestSecretEveryTime checks a program that asks for one secret after another without words. Each
// question is recognized by modes that were set just before the program began to wait.
func TestSecretEveryTime(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, r := launch(t, newManager(t), "bash", "-c", "while printf . && read -r -s x; do :; done")
	for n := range 40 {
		if r.Reason != detect.Password {
			t.Fatalf("after %d secrets: reason %s, %+v", n, r.Reason, r.Explain)
		}
		r = say(t, s, "hunter2")
	}
}
