package session

import (
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// pythonEditor is a line editor that is in raw mode only while it reads, and shows its prompt some
// time before. It spends that time on a processor, so that a busy machine makes it longer.
const pythonEditor = `
import os, sys, termios, time, tty
cooked = termios.tcgetattr(0)
def work():
    os.write(1, b"> ")
    end = time.process_time() + 0.05
    while time.process_time() < end: pass
def key():
    tty.setraw(0, termios.TCSADRAIN)
    k = os.read(0, 1)
    termios.tcsetattr(0, termios.TCSADRAIN, cooked)
    return k
if sys.argv[1:]: work()
else: os.write(1, b"> ")
line = b""
while True:
    k = key()
    if k == b"\x04": break
    if k == b"\x00": os.write(1, b"lost\r\n")
    if k == b"\x15": line = b""
    if k >= b" ": line += k
    if k in b"\r\n":
        os.write(1, b"\r\ngot " + line + b"\r\n")
        line = b""
        work()
os.write(1, b"\r\nend of file\r\n")
`

// TestBetweenReads checks that keys that line mode would handle reach a line editor that has drawn
// its prompt but is not back in raw mode.
func TestBetweenReads(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	need.Program(t, "python3")
	for name, args := range map[string][]string{"known": nil, "started": {"work"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := newManager(t).Start(t.Context(), StartOptions{Command: "python3", Args: append([]string{"-c", pythonEditor}, args...)})
			if err != nil {
				t.Fatal(err)
			}
			drawn := Wait{Until: UntilChange, Timeout: patience}
			exchange(t, s, Input{}, drawn)
			if args == nil {
				exchange(t, s, Input{}, Wait{Timeout: patience}) // until it is seen waiting in raw mode
				r := exchange(t, s, Input{Text: "a", Enter: true}, Wait{Pattern: regexp.MustCompile(`got a\n> $`), Timeout: patience})
				if r.Reason != detect.Matched {
					t.Fatalf("reason %s, output %q", r.Reason, r.Output)
				}
			}
			r := exchange(t, s, press(t, "ctrl+d"), Wait{Until: UntilExit, Timeout: patience})
			if r.Reason != detect.Exited || !strings.Contains(r.Output, "end of file") {
				t.Errorf("reason %s, output %q", r.Reason, r.Output)
			}
		})
	}
}

// TestTypedAfterCommand checks input for a program that a shell was told to start, and may not have
// started yet: the program gets the whole line and the end of file.
func TestTypedAfterCommand(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, shell := range []string{"bash", "zsh"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			s, _ := launch(t, newManager(t), shell)
			for n := range 20 {
				for _, in := range []Input{{Text: "cat -A", Enter: true}, {Text: "hello", Enter: true}} {
					if _, err := s.Type(t.Context(), in); err != nil {
						t.Fatal(err)
					}
				}
				r := exchange(t, s, press(t, "ctrl+d"), Wait{Timeout: patience, Explain: true})
				if r.Reason != detect.Prompt || !strings.Contains(r.Output, "hello$") {
					t.Fatalf("%d: reason %s, output %q", n, r.Reason, r.Output)
				}
			}
		})
	}
}

// TestInterruptBetweenReads checks that ctrl+c takes the line away as soon as bash has drawn it.
// bash is not back at its read then, and would keep the line.
func TestInterruptBetweenReads(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	for range 100 {
		exchange(t, s, Input{Text: "echo gone"}, Wait{Until: UntilChange, Timeout: patience})
		expect(t, exchange(t, s, press(t, "ctrl+c"), Wait{Timeout: patience, Explain: true}), detect.Prompt, "")
	}
	expect(t, say(t, s, "echo kept"), detect.Prompt, "kept")
}
