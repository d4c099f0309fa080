package session

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestRunningHint checks that a hint names the command with its arguments, as it was typed or as
// the process reports it, and how long it has been running.
func TestRunningHint(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc")
	late := Wait{Timeout: MinTimeout}
	is := func(hint, command, next string) bool {
		return regexp.MustCompile(`^still running ` + regexp.QuoteMeta(command) + ` \(\d+(\.\d+)? s\); ` + next).MatchString(hint)
	}
	for _, c := range []struct{ text, want string }{
		{"sleep 100 && echo $((1+1))", "sleep 100 && echo $((1+1))"},
		{"while sleep 100; do\n:\ndone", "while sleep 100; do :; done"},
		{"sleep " + strings.Repeat("0", 70) + "100", "sleep " + strings.Repeat("0", 54) + "…"},
	} {
		exchange(t, s, Input{Text: c.text, Enter: true}, Wait{Until: UntilNone})
		inForeground(t, s, "sleep")
		r := exchange(t, s, Input{}, late)
		if r.Reason != detect.Timeout || !is(r.Hint, c.want, "wait_for goes on waiting, send_keys ctrl\\+c interrupts$") {
			t.Errorf("%q: reason %s, hint %q", c.text, r.Reason, r.Hint)
		}
		if r = exchange(t, s, Input{Text: "ahead"}, late); !is(r.Hint, c.want, "the text waits in its input") {
			t.Errorf("%q, typed ahead: hint %q", c.text, r.Hint)
		}
		if r = exchange(t, s, Input{Text: "\x03"}, Wait{Timeout: patience}); r.Reason != detect.Prompt {
			t.Fatalf("%q, interrupted: reason %s", c.text, r.Reason)
		}
	}
	exchange(t, s, Input{Text: "read -p 'Go? ' answer; sleep 100", Enter: true}, Wait{Pattern: regexp.MustCompile(`Go\? $`), Timeout: patience})
	if r := exchange(t, s, Input{Text: "y", Enter: true}, Wait{Pattern: regexp.MustCompile("never shown"), Timeout: 2 * time.Second}); !strings.HasSuffix(r.Hint, "wait_for goes on waiting, send_keys ctrl+c interrupts") {
		t.Errorf("an answer that was read: hint %q", r.Hint)
	}
	s, _ = launchWith(t, m, StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: true})
	exchange(t, s, Input{Text: "sleep 100 | cat", Enter: true}, Wait{Until: UntilNone})
	inForeground(t, s, "sleep", "cat")
	if r := exchange(t, s, Input{}, late); !is(r.Hint, "sleep 100", "") && !is(r.Hint, "cat", "") {
		t.Errorf("without marks: hint %q", r.Hint)
	}
}

// TestHintAfterPaste checks the hint when a program waits for an answer that the shell has got as a
// part of a paste.
func TestHintAfterPaste(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	s, _ := launch(t, newManager(t), "bash", "--norc")
	r := exchange(t, s, Input{Text: "read -p 'Go? ' x; echo $x\ny", Enter: true}, Wait{Timeout: patience})
	if r.Reason != detect.AwaitingInput || !strings.HasSuffix(r.Hint, "run_steps or paste false types them to the program") {
		t.Errorf("reason %s, hint %q", r.Reason, r.Hint)
	}
	if r = say(t, s, "answer"); r.Hint != "" {
		t.Errorf("after one line: hint %q", r.Hint)
	}
}

// TestHintAtPrompt checks the hint after a wait for a pattern that does not come, at idle shells
// and while a command runs.
func TestHintAtPrompt(t *testing.T) {
	t.Parallel()
	linuxOnly(t)
	for _, sh := range []StartOptions{{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, newManager(t), sh)
			never := Wait{Pattern: regexp.MustCompile("never shown"), Timeout: time.Second}
			idle := func() {
				t.Helper()
				for _, in := range []Input{{Text: "echo hi", Enter: true}, {}} {
					if r := exchange(t, s, in, never); r.Reason != detect.Timeout || !strings.HasPrefix(r.Hint, "the prompt is there, and the pattern has not shown; ") {
						t.Errorf("%q: reason %s, hint %q", in.Text, r.Reason, r.Hint)
					}
				}
			}
			idle()
			if r := exchange(t, s, Input{Text: "sleep 100", Enter: true}, never); !strings.HasPrefix(r.Hint, "still running sleep 100 ") {
				t.Errorf("at work: hint %q", r.Hint)
			}
			exchange(t, s, Input{Text: "\x03"}, Wait{Timeout: patience})
			say(t, s, "bash --norc")
			idle() // inside a command of the first shell
		})
	}
}

// TestHintAtBegunLine checks that a wait at a line that was begun does not advise ctrl+c, which
// would drop the line.
func TestHintAtBegunLine(t *testing.T) {
	for name, args := range map[string][]string{"bash": {"--norc"}, "python3": {"-q", "-i"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, name)
			s, _ := launch(t, newManager(t), name, args...)
			exchange(t, s, Input{}, Wait{Timeout: patience})
			exchange(t, s, Input{Text: "12"}, Wait{Timeout: patience})
			r := exchange(t, s, Input{}, Wait{Pattern: literal("never"), Timeout: MinTimeout})
			if r.Hint != "a line has begun at the prompt; send_keys enter submits it" {
				t.Errorf("hint %q", r.Hint)
			}
		})
	}
}
