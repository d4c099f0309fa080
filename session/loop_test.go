package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// pythonLoop answers each line after as many seconds as the line says, in an event loop that also
// waits for a pair of sockets. It shows no prompt.
const pythonLoop = `
import os, select, socket, time
a, b = socket.socketpair()
p = select.epoll()
p.register(0, select.EPOLLIN)
p.register(a.fileno(), select.EPOLLIN)
due, text = None, ""
os.write(1, b"ready\n")
while True:
    for fd, _ in p.poll(None if due is None else max(0, due - time.monotonic())):
        text = os.read(0, 100).decode().strip()
        os.write(1, b"thinking\n")
        due = time.monotonic() + float(text)
    if due and time.monotonic() >= due:
        os.write(1, ("answer " + text + "\n").encode())
        due = None
`

// nodeLoop does the same in node.
const nodeLoop = `
console.log('ready');
process.stdin.on('data', d => {
  console.log('thinking');
  setTimeout(() => console.log('answer ' + String(d).trim()), 1000 * d);
});
`

// TestEventLoop checks that the answers of programs whose event loop shows when an answer is over
// are returned whole.
func TestEventLoop(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for name, args := range map[string][]string{"python3": {"-c", pythonLoop}, "node": {"-e", nodeLoop}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, name)
			s, r := launch(t, newManager(t), name, args...)
			if r.Reason != detect.AwaitingInput {
				t.Errorf("start: reason %s, %+v", r.Reason, r.Explain)
			}
			for _, after := range []string{"0.7", "0", "0.25", "1.5"} {
				r := say(t, s, after)
				if want := "thinking\nanswer " + after; r.Output != want || !r.Reason.Complete() && r.Reason != detect.Settled {
					t.Errorf("%s s: reason %s, output %q, want %q; %+v", after, r.Reason, r.Output, want, r.Explain)
				}
			}
		})
	}
}

// pythonHousekeeper draws at once, ticks for a while and then has a timer at whose end it does
// nothing, as V8 has for its memory.
const pythonHousekeeper = `
import os, select, socket, time, tty
tty.setraw(0)
os.write(1, b"\x1b[6nready\r\n")
a, b = socket.socketpair()
p = select.epoll()
p.register(0, select.EPOLLIN)
p.register(a.fileno(), select.EPOLLIN)
start = time.monotonic()
for due in [0.03, 0.06, 0.09, 30, 3600]:
    while time.monotonic() < start + due:
        if p.poll(start + due - time.monotonic()):
            os.read(0, 100)
`

// TestLateTimerOfStart checks that timers that a program sets at its start are not awaited if a
// shell starts the program, just as if it is started directly.
func TestLateTimerOfStart(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	program := filepath.Join(t.TempDir(), "housekeeper.py")
	if err := os.WriteFile(program, []byte(pythonHousekeeper), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := say(t, s, need.Program(t, "python3")+" "+program)
	if !strings.Contains(r.Output, "ready") || r.Reason == detect.Timeout || r.Elapsed > patience/2 {
		t.Errorf("reason %s after %s, output %q, %+v", r.Reason, r.Elapsed, r.Output, r.Explain)
	}
}

// TestTerminalInside checks commands in a shell that another program shows. That program hands its
// terminal to a server (tmux) or reads it from outside its session (screen).
func TestTerminalInside(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for name, args := range map[string][]string{
		"tmux":   {"-f", "/dev/null", "new", "bash --norc"},
		"screen": {"-c", "/dev/null", "bash", "--norc"},
	} {
		t.Run(name, func(t *testing.T) {
			need.Program(t, name)
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o700); err != nil { // screen insists on this mode
				t.Fatal(err)
			}
			s, _ := launchWith(t, newManager(t), StartOptions{Command: name, Args: args, Env: map[string]string{"TMUX_TMPDIR": dir, "SCREENDIR": dir}})
			for _, line := range []string{"sleep 0.7; echo aft''er", "echo a''t once", "seq 30; sleep 0.3; echo la''st"} {
				r := say(t, s, line)
				want := line[strings.LastIndex(line, "echo ")+len("echo "):]
				want = strings.ReplaceAll(want, "''", "")
				if r.Screen == nil || !strings.Contains(r.Screen.Text(), want) || r.Reason != detect.AwaitingInput {
					t.Errorf("%s: reason %s, %+v, screen without %q", line, r.Reason, r.Explain, want)
				}
			}
		})
	}
}

// TestFilter checks that a program that filters input still being written is ready once it has
// drawn its prompt, and takes a key.
func TestFilter(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	need.Program(t, "fzf")
	s, r := launch(t, newManager(t), "bash", "-c", "while seq 100000; do :; done | fzf")
	if r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "> ") || r.Elapsed > patience/2 {
		t.Errorf("reason %s after %s, %+v, want \"> \" on the screen", r.Reason, r.Elapsed, r.Explain)
	}
	r = exchange(t, s, Input{Text: "42"}, Wait{Timeout: patience, Explain: true})
	if r.Reason != detect.AwaitingInput || r.Screen == nil || !strings.Contains(r.Screen.Text(), "> 42") || r.Elapsed > patience/2 {
		t.Errorf("reason %s after %s, %+v, want \"> 42\" on the screen", r.Reason, r.Elapsed, r.Explain)
	}
	exchange(t, s, Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyEscape}}}}, Wait{Timeout: patience})
}

// laterFilter shows a prompt below its rows, with bracketed paste and mouse reporting, as fzf does
// beside a shell's lines. Typed text takes effect a moment later, but Enter at once.
const laterFilter = `
import os, select, tty
tty.setraw(0)
os.write(1, b"\x1b[?1000h\x1b[?2004h  b\r\n  a\r\n> ")
typed, found = b"", b"a"
while True:
    if typed and not select.select([0], [], [], 0.1)[0]:
        found = typed
        os.write(1, b"\x1b[2F\x1b[J  " + found + b"\r\n  -\r\n> " + typed)
        select.select([0], [], [])
    data = os.read(0, 100)
    typed += data.rstrip(b"\r")
    if data.endswith(b"\r"): break
    os.write(1, data)
os.write(1, b"\r\x1b[J\x1b[?1000l\x1b[?2004lfound " + found + b"\r\n")
`

// TestInlineFilter checks a filter that looks like a line editor at its prompt: Enter is sent only
// when it has filtered.
func TestInlineFilter(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, r := launch(t, newManager(t), need.Program(t, "python3"), "-c", laterFilter)
	if !strings.HasSuffix(r.Prompt, "> ") {
		t.Errorf("start: reason %s, prompt %q", r.Reason, r.Prompt)
	}
	if r = say(t, s, "text"); r.Reason != detect.Exited || !strings.HasSuffix(r.Output, "found text") {
		t.Errorf("reason %s, output %q, %+v", r.Reason, r.Output, r.Explain)
	}
}

// TestBlankStart checks that the wait for a program that sets terminal modes and then computes for
// a while lasts until it draws.
func TestBlankStart(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	const code = `
import os, time
os.write(1, b"\x1b[?25l\x1b[?2004h")
end = time.monotonic() + 3
while time.monotonic() < end: pass
os.write(1, b"drawn\r\n")
input()
`
	_, r := launch(t, newManager(t), "python3", "-c", code)
	if r.Output != "drawn" || !r.Reason.Complete() {
		t.Errorf("reason %s after %s, output %q, %+v", r.Reason, r.Elapsed, r.Output, r.Explain)
	}
}

// TestSilentStart checks the reason and the hint for a program that prints nothing and waits for
// nothing.
func TestSilentStart(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	_, r := launch(t, newManager(t), "sleep", "30")
	if r.Reason != detect.Settled || r.Elapsed > patience/2 || !strings.Contains(r.Hint, "has printed nothing and sleeps for another 2") {
		t.Errorf("reason %s after %s, hint %q", r.Reason, r.Elapsed, r.Hint)
	}
}
