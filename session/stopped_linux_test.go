package session

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// TestStoppedProgram checks that the hint about a shell that has stopped itself says how to
// continue it, and that this works.
func TestStoppedProgram(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	s, _ := launch(t, m, "bash", "--norc")
	other, _ := launch(t, m, "bash", "--norc")
	r := exchange(t, s, Input{Text: "kill -STOP $$", Enter: true}, Wait{Timeout: time.Second})
	resume := regexp.MustCompile(`^bash is stopped .*; (kill -CONT -- -\d+) in another session`).FindStringSubmatch(r.Hint)
	if r.Reason != detect.Timeout || resume == nil {
		t.Fatalf("reason %s, hint %q", r.Reason, r.Hint)
	}
	if r = exchange(t, s, Input{Text: "echo go$((40+2))", Enter: true}, Wait{Timeout: time.Second}); !strings.Contains(r.Hint, resume[1]) {
		t.Errorf("after more input: hint %q", r.Hint)
	}
	expect(t, say(t, other, resume[1]), detect.Prompt, "")
	if r = exchange(t, s, Input{}, Wait{Timeout: patience, Pattern: regexp.MustCompile("go42")}); r.Reason != detect.Matched {
		t.Errorf("after %s: reason %s, output %q, hint %q", resume[1], r.Reason, r.Output, r.Hint)
	}
}

// TestStoppedOutput checks that errors about input say that ctrl+s has stopped the output.
func TestStoppedOutput(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	say(t, s, "true")
	exchange(t, s, press(t, "ctrl+s"), Wait{Timeout: patience})
	_, err := s.Exchange(t.Context(), Input{Text: "echo hello", Enter: true}, Wait{Timeout: time.Second}, nil)
	if held := (*HeldError)(nil); !errors.As(err, &held) || !held.Stopped {
		t.Errorf("a line: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	s, _ = launch(t, newManager(t), "cat")
	exchange(t, s, press(t, "ctrl+s"), Wait{Until: UntilNone})
	_, err = s.Exchange(ctx, Input{Text: strings.Repeat("0123456789\n", 1<<17)}, Wait{Timeout: patience}, nil)
	if !errors.Is(err, ErrOutputStopped) {
		t.Errorf("much text: %v", err)
	}
}
