package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/guard"
)

// TestRefusalHolds checks that a line that a person has refused, however it is entered again, can
// be confirmed by a person but not by the agent.
func TestRefusalHolds(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	w := Wait{Timeout: patience}
	hold := func(name string, steps ...Input) *HeldError {
		t.Helper()
		var held *HeldError
		for i, in := range steps {
			_, err := s.Exchange(t.Context(), in, w, nil)
			if last := i == len(steps)-1; err != nil && !last || last && !errors.As(err, &held) {
				t.Fatalf("%s: %v", name, err)
			}
		}
		return held
	}
	const line = "echo forbidden"
	if held := hold("the first", Input{Text: line, Enter: true}); held.Refused != "" {
		t.Fatalf("refused before anybody did: %+v", held)
	}
	if err := s.As(ann).Refuse(line); err != nil {
		t.Fatal(err)
	}
	if _, err := confirm(t, s, line, false, w); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), "nothing is held now: Ann refused it at") {
		t.Errorf("confirmed after the refusal: %v", err)
	}
	for name, steps := range map[string][]Input{
		"again":             {{Text: line, Enter: true}},
		"with its Enter":    {{Text: line + "\n"}},
		"in pieces":         {{Text: "echo for"}, {Text: "bid"}, {Text: "den", Enter: true}},
		"by keys":           {{Keys: keysOf(t, "e", "c", "h", "o", "space", "text:forbidden", "enter")}},
		"corrected":         {{Text: "echo forbiddxx"}, {Keys: keysOf(t, "backspace*2", "text:en", "enter")}},
		"pasted":            {{Text: line, Paste: true, Enter: true}},
		"quoted":            {{Text: `echo "forbidden"`, Enter: true}},
		"with a backslash":  {{Text: `\echo  'forbid'den;`, Enter: true}},
		"behind another":    {{Text: "true; " + line, Enter: true}},
		"of several lines":  {{Text: "true\n" + line + "\n"}},
		"in a subshell":     {{Text: "(" + line + ")", Enter: true}},
		"over two lines":    {{Text: "echo \\\nforbidden", Enter: true}},
		"by another client": {{Text: line, Enter: true}},
	} {
		held := hold(name, steps...)
		if !strings.Contains(held.Refused, "Ann refused it at") || !strings.Contains(held.Error(), "only a person can allow it") {
			t.Errorf("%s: %+v", name, held)
		}
		if _, err := confirm(t, s, held.Input, false, w); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), "Ann refused it at") {
			t.Errorf("%s: confirmed: %v", name, err)
		}
		exchange(t, s, Input{Keys: keysOf(t, "ctrl+c")}, Wait{Timeout: patience})
	}
	if text := s.Snapshot(-1).Text(); strings.Contains(text, "\nforbidden") {
		t.Fatalf("the line was run:\n%s", text)
	}
	// The agent can still confirm a different line.
	other := hold("another", Input{Text: "echo forbidden things", Enter: true})
	if r, err := confirm(t, s, other.Input, false, w); err != nil || r.Output != "forbidden things" {
		t.Errorf("another input: %v, %v", r, err)
	}
	// A person who allows the line takes the refusal back.
	hold("for Bob", Input{Text: line, Enter: true})
	if err := s.As(bob).Approve(t.Context(), line); err != nil {
		t.Fatal(err)
	}
	awaitText(t, s, "\nforbidden\n")
	if held := hold("afterwards", Input{Text: line, Enter: true}); held.Refused != "" {
		t.Errorf("after it was allowed: %+v", held)
	}
}

// TestRefusalBetween checks that refusing one of two held inputs with the same command prevents the
// confirmation of the other one too. It also checks how many refusals and answers are kept.
func TestRefusalBetween(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	w := Wait{Timeout: patience}
	for _, text := range []string{"echo forbidden", "true; echo forbidden"} {
		if _, err := s.Exchange(t.Context(), Input{Text: text, Enter: true}, w, nil); !errors.As(err, new(*HeldError)) {
			t.Fatal(err)
		}
	}
	if err := s.As(ann).Refuse("echo forbidden"); err != nil {
		t.Fatal(err)
	}
	if _, err := confirm(t, s, "true; echo forbidden", false, w); !errors.Is(err, ErrNotConfirmed) {
		t.Errorf("confirmed: %v", err)
	}
	for n := range guard.MaxRefused + 3 {
		text := fmt.Sprint("echo forbidden ", n)
		if _, err := s.Exchange(t.Context(), Input{Text: text, Enter: true}, w, nil); !errors.As(err, new(*HeldError)) {
			t.Fatal(err)
		}
		if err := s.As(ann).Refuse(text); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.guard.Refused); n != guard.MaxRefused {
		t.Errorf("%d refusals are kept", n)
	}
	if all := s.Facts().Answers; len(all) != guard.MaxAnswers || all[len(all)-1].Line != fmt.Sprint("echo forbidden ", guard.MaxRefused+2) {
		t.Errorf("%d answers are kept: %+v", len(all), all)
	}
}

// TestRefusedStart checks that the agent cannot confirm a refused start, and that a person can.
func TestRefusedStart(t *testing.T) {
	m := forbidding(t)
	o := StartOptions{Command: need.Program(t, "echo"), Args: []string{"forbidden"}}
	hold := func() *HeldError {
		t.Helper()
		var held *HeldError
		if _, err := m.Start(t.Context(), o); !errors.As(err, &held) {
			t.Fatalf("not held: %v", err)
		}
		return held
	}
	held := hold()
	if err := m.RefuseStart(ann, held.Session, held.Input); err != nil {
		t.Fatal(err)
	}
	if _, err := m.ConfirmStart(t.Context(), held.Session, held.Input, false); !errors.Is(err, ErrNotConfirmed) {
		t.Errorf("confirmed: %v", err)
	}
	held = hold()
	if _, err := m.ConfirmStart(t.Context(), held.Session, held.Input, false); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(held.Refused, "Ann refused") {
		t.Errorf("confirmed the second time: %v, %+v", err, held)
	}
	s, err := m.ConfirmStart(t.Context(), held.Session, held.Input, true)
	if err != nil {
		t.Fatal(err)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilExit, Timeout: patience}); r.Output != "forbidden" {
		t.Errorf("after a person allowed it: output %q", r.Output)
	}
}
