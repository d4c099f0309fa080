package session

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
)

// TestUntypedInputLeavesTheLine checks that refused input, which would have made the next line a
// comment, does not change how that line is judged.
func TestUntypedInputLeavesTheLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		step func(t *testing.T, s *Session) error
	}{
		{"a tool call, while a person has the keyboard", func(t *testing.T, s *Session) error {
			if err := s.As(ann).TakeOver(false); err != nil {
				t.Fatal(err)
			}
			_, err := s.Type(t.Context(), Input{Text: "# "})
			return err
		}},
		{"a tool call, while a person pauses", func(t *testing.T, s *Session) error {
			if err := s.As(ann).Pause(); err != nil {
				t.Fatal(err)
			}
			_, err := s.Type(t.Context(), Input{Text: "# "})
			return err
		}},
		{"a person who does not have the keyboard", func(t *testing.T, s *Session) error {
			if err := s.As(ann).TakeOver(false); err != nil {
				t.Fatal(err)
			}
			_, err := s.As(bob).Type(t.Context(), Input{Text: "# "})
			return err
		}},
	} {
		s, _ := launch(t, forbiddingCommand(t), "bash", "--norc")
		attends(t, s, ann)
		attends(t, s, bob)
		if err := tt.step(t, s); !errors.Is(err, ErrPersonControls) && !errors.Is(err, ErrNoKeyboard) {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := s.As(ann).GiveBack("", false); err != nil {
			t.Fatal(err)
		}
		var held *HeldError
		if _, err := s.Type(t.Context(), Input{Text: "forbidden", Enter: true}); !errors.As(err, &held) || held.Line != "forbidden" {
			t.Errorf("%s: %v, %+v", tt.name, err, held)
		}
	}
}

// TestDroppedInputLeavesTheLine checks a person who steps in while accepted input waits for a
// program that reads nothing: the input that is dropped is not part of the line.
func TestDroppedInputLeavesTheLine(t *testing.T) {
	need.Long(t)
	t.Parallel()
	s, _ := launch(t, forbiddingCommand(t), "bash", "--norc", "-c", "stty raw -echo; echo ready; sleep 1000")
	attends(t, s, ann)
	if _, err := s.Type(t.Context(), Input{Text: strings.Repeat("a", queue.Limit/2)}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Type(t.Context(), Input{Text: "\n'# "}); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.guard.Editing; l.Known || l.Script != "" || strings.Contains(string(l.Text), "#") {
		t.Errorf("the line is %q after %q, sure %t", string(l.Text), l.Script, l.Known)
	}
}

// TestConfirmedIsWhatWasHeld checks that a held line cannot be confirmed after a variable has
// changed.
func TestConfirmedIsWhatWasHeld(t *testing.T) {
	s, _ := launch(t, forbiddingCommand(t), "bash", "--norc")
	var held *HeldError
	const line = "$NAME a || forbidden"
	if _, err := s.Exchange(t.Context(), Input{Text: line, Enter: true}, Wait{Timeout: patience}, nil); !errors.As(err, &held) {
		t.Fatal(err)
	}
	say(t, s, "NAME=forbidden")
	if _, err := confirm(t, s, line, false, Wait{Timeout: patience}); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), "a variable or an alias has changed") {
		t.Errorf("confirmed: %v", err)
	}
	// If nothing has changed, the line is run.
	if _, err := s.Exchange(t.Context(), Input{Text: line, Enter: true}, Wait{Timeout: patience}, nil); !errors.As(err, &held) {
		t.Fatal(err)
	}
	if _, err := confirm(t, s, line, false, Wait{Timeout: patience}); err != nil {
		t.Errorf("not confirmed: %v", err)
	}
}

// TestRefusedFirst checks that input is typed after the first input of a session was refused.
func TestRefusedFirst(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		start StartOptions
		first Input
		err   error
	}{
		"the mouse, which bash has not asked for": {StartOptions{Command: "bash", Args: []string{"--norc"}}, Input{Mouse: []emulator.Mouse{{Action: emulator.MousePress, Button: emulator.MouseButtonLeft}}}, emulator.ErrMouseOff},
		"a line too long for line mode":           {StartOptions{Command: "cat"}, Input{Text: strings.Repeat("x", input.MaxLine+1), Enter: true}, input.ErrLongLine},
		"a key for a pipe":                        {StartOptions{Command: "cat", Pipe: true}, Input{Keys: keysOf(t, "ctrl+c")}, ErrPipe},
	} {
		s, err := forbidding(t).Start(t.Context(), tt.start)
		if err != nil {
			t.Fatal(err)
		}
		w := Wait{Timeout: patience, Pattern: regexp.MustCompile("echo hi")}
		if _, err := s.Exchange(t.Context(), tt.first, w, nil); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		}
		if r, err := s.Exchange(t.Context(), Input{Text: "echo echo hi", Enter: true}, w, nil); err != nil || !strings.Contains(r.Output, "echo hi") {
			t.Errorf("%s, and then a line: %+v, %v", name, r, err)
		}
	}
}
