package session

import (
	"errors"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestHalfLine checks that the agent's input is not added to half a line that a person has left, in
// shells and other programs that read lines, before the agent has seen it.
func TestHalfLine(t *testing.T) {
	for _, prog := range []StartOptions{
		{Command: "bash", Args: []string{"--norc"}},
		{Command: "bash", Args: []string{"--norc", "-i"}, Name: "unmarked", NoMarks: true},
		{Command: "zsh", Args: []string{"-f"}},
		{Command: "fish"},
		{Command: "cat"},
		{Command: "python3", Args: []string{"-q"}},
	} {
		t.Run(prog.Command+prog.Name, func(t *testing.T) {
			t.Parallel()
			need.Program(t, prog.Command)
			s, _ := launchWith(t, newManager(t), prog)
			left := func(text string) {
				t.Helper()
				if err := s.As(ann).TakeOver(false); err != nil {
					t.Fatal(err)
				}
				if _, err := s.As(ann).Type(t.Context(), Input{Text: text}); err != nil {
					t.Fatal(err)
				}
				awaitText(t, s, strings.TrimSpace(text))
				if err := s.As(ann).GiveBack("", false); err != nil {
					t.Fatal(err)
				}
			}
			w := Wait{Timeout: patience}
			agent := WithClient(t.Context(), "agent", "") // awaitText looks as another client
			does := func(in Input, w Wait) *Reply {
				t.Helper()
				r, err := s.Exchange(agent, in, w, nil)
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			left("half + ")
			// The person leaves, and the agent types without having looked.
			_, err := s.Type(agent, Input{Text: "hi", Enter: true})
			if !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), `Ann has begun a line and not submitted it: "half +"`) {
				t.Fatalf("typed into a line that a person has begun: %v", err)
			}
			if text := s.Snapshot(0).Text(); strings.Contains(text, "hi") {
				t.Fatalf("the input was typed:\n%s", text)
			}
			// The error has shown the line to the agent, which may add to it now.
			does(Input{Text: "'mine'", Enter: true}, w)
			if text := s.Snapshot(0).Text(); !strings.Contains(text, "half + 'mine'") {
				t.Errorf("the line is not there:\n%s", text)
			}
			// A reply shows the line too, and says so.
			left("again + ")
			r := does(Input{}, Wait{Until: UntilNone})
			if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, `a line is begun and not submitted: "again +"`) {
				t.Errorf("notes %q", notes)
			}
			does(Input{Text: "'mine'", Enter: true}, w)
			// Keys that delete the line need no look.
			left("third + ")
			does(Input{Keys: keysOf(t, "ctrl+u", "text:'fourth'", "enter")}, w)
			if text := s.Snapshot(0).Text(); strings.Contains(text, "third + 'fourth'") {
				t.Errorf("the line was not deleted:\n%s", text)
			}
		})
	}
}

// TestHalfLineOfAnotherClient checks the same between two clients, and that a client may continue
// its own line.
func TestHalfLineOfAnotherClient(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	a, b := WithClient(t.Context(), "a", "codex"), WithClient(t.Context(), "b", "")
	w := Wait{Timeout: patience}
	for _, text := range []string{"echo ", "one"} {
		if _, err := s.Type(a, Input{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	awaitText(t, s, "echo one")
	if _, err := s.Exchange(b, Input{Text: " two", Enter: true}, w, nil); !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), "codex has begun") {
		t.Errorf("b: %v", err)
	}
	if r, err := s.Exchange(a, Input{Text: "s", Enter: true}, w, nil); err != nil || r.Output != "ones" {
		t.Errorf("a goes on: %v, %v", r, err)
	}
	if r, err := s.Exchange(b, Input{Text: "echo two", Enter: true}, w, nil); err != nil || r.Output != "two" {
		t.Errorf("b, afterwards: %v, %v", r, err)
	}
	if _, err := s.Type(b, Input{Text: "echo three"}); err != nil {
		t.Fatal(err)
	}
	awaitText(t, s, "echo three")
	s.MarkSeen(a)
	if r, err := s.Exchange(a, Input{Enter: true}, w, nil); err != nil || r.Output != "three" {
		t.Errorf("a, after a look: %v, %v", r, err)
	}
}

// TestTakenWithoutEnter checks that no line counts as begun if a program takes a key without an
// Enter, or owns the screen.
func TestTakenWithoutEnter(t *testing.T) {
	t.Parallel()
	need.Program(t, "less")
	s, _ := launch(t, newManager(t), "bash", "--norc")
	w := Wait{Timeout: patience}
	exchange(t, s, Input{Text: "read -n1 -p 'go on? ' answer; echo; echo took $answer", Enter: true}, Wait{Pattern: literal("go on? "), Timeout: patience})
	person := func(text string) {
		t.Helper()
		if err := s.As(ann).TakeOver(false); err != nil {
			t.Fatal(err)
		}
		if _, err := s.As(ann).Type(t.Context(), Input{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	person("y")
	awaitText(t, s, "took y")
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exchange(t.Context(), Input{Text: "seq 500 | less", Enter: true}, w, nil); err != nil {
		t.Errorf("after a key that the program took: %v", err)
	}
	person("  /4")
	if err := s.As(ann).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Exchange(t.Context(), Input{Enter: true}, w, nil); err != nil {
		t.Errorf("in a program that owns the screen: %v", err)
	}
}

// TestHalfLineBeside checks that the text that others are given of a begun line does not contain
// the right prompt beside it, although the line is read from the screen.
func TestHalfLineBeside(t *testing.T) {
	need.Program(t, "zsh")
	s, _ := launch(t, newManager(t), "zsh")
	exchange(t, s, Input{Text: "typeset +x PS1; RPROMPT='right side'", Enter: true}, Wait{Timeout: patience})
	if _, err := s.Type(WithClient(t.Context(), "a", "codex"), Input{Keys: keysOf(t, "text:echo one", "alt+b")}); err != nil {
		t.Fatal(err)
	}
	awaitText(t, s, "echo one")
	_, err := s.Type(WithClient(t.Context(), "b", ""), Input{Text: " two", Enter: true})
	if !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), `: "echo one"`) {
		t.Errorf("b: %v", err)
	}
}
