package session

import (
	"errors"
	"strings"
	"testing"
)

// heldBy types in and returns the rules by which it is held, "" when it is not.
func heldBy(t *testing.T, s *Session, in Input) string {
	t.Helper()
	_, err := s.Exchange(t.Context(), in, Wait{Timeout: patience}, nil)
	var held *HeldError
	if err != nil && !errors.As(err, &held) {
		t.Fatalf("%+v: %v", in, err)
	}
	if held == nil {
		return ""
	}
	return held.Findings[0].Rule
}

// TestHistoryExpansion submits lines that name the shell's history, which are held: what
// they stand for is not known here.
func TestHistoryExpansion(t *testing.T) {
	for _, sh := range []StartOptions{{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			steps := []struct{ line, held string }{
				{"echo a for-bidden", ""},
				{"^-^^", "unreadable"},
				{"!!:s/r-b/rb/", "unreadable"},
				{"echo !!:1*", "unreadable"},
				{"echo !$", "unreadable"},
				{"!nothing", "unreadable"},
				{"!-3", "unreadable"},
				{"echo '!!' $!", ""},
				{"for i in a b; do", ""},
				{"echo $i; done", ""},
				{"!!", "unreadable"},
			}
			for _, step := range steps {
				if got := heldBy(t, s, Input{Text: step.line, Enter: true}); got != step.held {
					t.Errorf("%s: held by %q, want %q\n%s", step.line, got, step.held, s.Snapshot(0).Text())
				}
			}
			if _, err := confirm(t, s, "!!", false, Wait{Timeout: patience}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestClippedLine recalls a line of which the shell shows a part: what Enter would
// submit is not known.
func TestClippedLine(t *testing.T) {
	for _, sh := range []struct {
		start StartOptions
		on    string
	}{
		{StartOptions{Command: "bash", Args: []string{"--norc"}}, "bind 'set horizontal-scroll-mode on'"},
		{StartOptions{Command: "zsh", Args: []string{"-f"}}, "setopt single_line_zle"},
	} {
		t.Run(sh.start.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh.start)
			for _, line := range []string{sh.on, "echo " + strings.Repeat("a b ", 40)} {
				if got := heldBy(t, s, Input{Text: line, Enter: true}); got != "" {
					t.Errorf("%s: held by %q", line, got)
				}
			}
			for _, keys := range [][]string{{"up", "enter"}, {"up", "ctrl+a", "enter"}} {
				if got := heldBy(t, s, Input{Keys: keysOf(t, keys...)}); got != "unreadable" {
					t.Errorf("%v: held by %q\n%s", keys, got, s.Snapshot(0).Text())
				}
				exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
			}
			heldBy(t, s, Input{Text: "echo short", Enter: true})
			if got := heldBy(t, s, Input{Keys: keysOf(t, "up", "enter")}); got != "" {
				t.Errorf("a short line: held by %q", got)
			}
		})
	}
}
