package session

import (
	"regexp"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// TestWaitForPromptAfterInterrupt waits for a prompt after a program was interrupted.
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
