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

// TestHistoryExpansion submits lines that name the shell's history: what they stand for
// is judged, and where that is not known they are held.
func TestHistoryExpansion(t *testing.T) {
	for _, sh := range []StartOptions{{Command: "bash", Args: []string{"--norc"}}, {Command: "zsh", Args: []string{"-f"}}} {
		t.Run(sh.Command, func(t *testing.T) {
			t.Parallel()
			s, _ := launchWith(t, forbidding(t), sh)
			steps := []struct{ line, held string }{
				{"echo a for-bidden", ""},
				{"^-^^", "user:word"},
				{"!!:s/r-b/rb/", "unreadable"},
				{"echo !!:1*", "unreadable"},
				{"echo !$", ""},
				{"^-^^", "user:word"},
				{"!nothing", "unreadable"},
				{"!-3", "unreadable"},
				{"echo '!!' $!", ""},
				{"for i in a b; do", ""},
				{"echo $i; done", ""},
				{"!!", "unreadable"}, // the shell has joined the lines
			}
			for _, step := range steps {
				if got := heldBy(t, s, Input{Text: step.line, Enter: true}); got != step.held {
					t.Errorf("%s: held by %q, want %q\n%s", step.line, got, step.held, s.Snapshot(0).Text())
				}
			}
			if _, err := confirm(t, s, "!!", false, Wait{Timeout: patience}); err != nil {
				t.Error(err)
			}
			heldBy(t, s, Input{Text: "echo b", Enter: true})
			attends(t, s, ann)
			if err := s.As(ann).TakeOver(false); err != nil {
				t.Fatal(err)
			}
			if _, err := s.As(ann).Type(t.Context(), Input{Text: "echo by ann", Enter: true}); err != nil {
				t.Fatal(err)
			}
			awaitText(t, s, "\nby ann")
			if err := s.As(ann).GiveBack("", false); err != nil {
				t.Fatal(err)
			}
			if got := heldBy(t, s, Input{Text: "!!", Enter: true}); got != "unreadable" {
				t.Errorf("!! behind a person's line: held by %q", got)
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
