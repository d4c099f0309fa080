package session

import (
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/internal/need"
)

// TestOutsideSession checks a shell that reads the terminal from a session of its own, as behind a
// container's runner.
func TestOutsideSession(t *testing.T) {
	t.Parallel()
	need.Program(t, "setsid")
	s, _ := launch(t, newManager(t), "setsid", "-w", "sh", "-c", "while read -r x; do sleep 0.2; echo got $x; done")
	for range 2 {
		expect(t, say(t, s, "a"), detect.AwaitingInput, "got a")
	}
}

// TestCommander checks keys in a program that shows its shell's terminal and passes no key on to
// it.
func TestCommander(t *testing.T) {
	t.Parallel()
	need.Program(t, "mc")
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, Env: map[string]string{"HOME": t.TempDir()}})
	say(t, s, "mc")
	for _, key := range []string{"down", "tab", "down"} {
		if r := exchange(t, s, press(t, key), Wait{Timeout: patience, Explain: true}); r.Reason != detect.AwaitingInput {
			t.Errorf("%s: %s, %+v", key, r.Reason, r.Explain)
		}
	}
	if r := exchange(t, s, press(t, "f10"), Wait{Timeout: patience, Explain: true}); r.Reason != detect.Prompt {
		t.Errorf("f10: %s, %+v", r.Reason, r.Explain)
	}
}

// TestUnendedLine checks that the text before the prompt is output each time if the last line of a
// command, which is repeated in a shell without marks, has no newline.
func TestUnendedLine(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}, NoMarks: true})
	say(t, s, "true")
	for range 3 {
		exchange(t, s, Input{}, Wait{Until: UntilQuiet, Timeout: patience})
		expect(t, say(t, s, "echo a; printf nonl"), detect.Prompt, "a\nnonl")
	}
}
