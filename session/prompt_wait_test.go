package session

import (
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// TestWaitForPromptAfterInterrupt checks that a pattern for the prompt matches after a program was
// interrupted.
func TestWaitForPromptAfterInterrupt(t *testing.T) {
	t.Parallel()
	s, _ := launchWith(t, newManager(t), StartOptions{Command: "bash", Args: []string{"--norc"}})
	exchange(t, s, Input{Text: "PS1='$ '", Enter: true}, Wait{Timeout: patience})
	prompt := Wait{Timeout: patience / 4, Pattern: regexp.MustCompile(`\$ $`)}
	interrupt := Input{Keys: []KeyPress{{Key: emulator.Key{Code: emulator.KeyRune, Rune: 'c', Mods: emulator.Ctrl}}}}
	exchange(t, s, Input{Text: "cat", Enter: true}, Wait{Timeout: patience})
	exchange(t, s, interrupt, Wait{Timeout: patience})
	if r := exchange(t, s, Input{Text: "echo x", Enter: true}, prompt); r.Reason != detect.Matched {
		t.Errorf("after ctrl+c: %s, %q, %q", r.Reason, r.Output, r.Hint)
	}
	exchange(t, s, Input{Text: "cat", Enter: true}, Wait{Timeout: patience})
	if r := exchange(t, s, interrupt, prompt); r.Reason != detect.Matched {
		t.Errorf("ctrl+c: %s, %q, %q", r.Reason, r.Output, r.Hint)
	}
}

// TestPromptInEveryReply checks that replies to waits for other things than the prompt have the
// shell's prompt too, if it is on the screen.
func TestPromptInEveryReply(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "fish", "dash"} {
		t.Run(shell, func(t *testing.T) {
			s, first := launch(t, newManager(t), shell)
			since := uint64(1)
			for _, st := range []struct {
				in     Input
				wait   Wait
				reason detect.Reason
			}{
				{Input{Text: "echo C", Enter: true}, Wait{Pattern: regexp.MustCompile(`C\n.*[$#%] $`), IgnoreEcho: true}, detect.Matched},
				{Input{}, Wait{Pattern: regexp.MustCompile("C")}, detect.Matched},
				{Input{}, Wait{Until: UntilNone}, detect.Returned},
				{Input{}, Wait{Until: UntilChange, Since: &since}, detect.Changed},
				{Input{}, Wait{Until: UntilReleased}, detect.Released},
			} {
				st.wait.Timeout = patience
				if r := exchange(t, s, st.in, st.wait); r.Reason != st.reason || r.Prompt == "" || r.Prompt != first.Prompt {
					t.Errorf("%s: reason %s, output %q, prompt %q", st.reason, r.Reason, r.Output, r.Prompt)
				}
			}
		})
	}
}
