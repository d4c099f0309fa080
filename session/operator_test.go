package session

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/state"
)

var (
	ann = Person{ID: "1", Name: "Ann"}
	bob = Person{ID: "2", Name: "Bob"}
)

// attends makes p watch s until the test ends.
func attends(t *testing.T, s *Session, p Person) {
	t.Helper()
	t.Cleanup(s.As(p).Attend())
}

// TestTakeOver checks that a person can take the keyboard of a shell from an agent, type, and give
// it back.
func TestTakeOver(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	attends(t, s, ann)
	if _, err := s.As(ann).Type(t.Context(), Input{Text: "x"}); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("typed without the keyboard: %v", err)
	}
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Type(t.Context(), Input{Text: "agent"}); !errors.Is(err, ErrPersonControls) || !strings.Contains(err.Error(), "Ann has taken over this session since") {
		t.Errorf("the agent types while Ann has the keyboard: %v", err)
	}
	released := make(chan *Reply, 1)
	go func() {
		r, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilReleased, Timeout: patience}, nil)
		if err != nil {
			t.Error(err)
		}
		released <- r
	}()
	if _, err := s.As(ann).Type(t.Context(), Input{Text: "echo by ann", Enter: true}); err != nil {
		t.Fatal(err)
	}
	awaitText(t, s, "\nby ann")
	if err := s.As(ann).GiveBack("the tests are\nfixed", false); err != nil {
		t.Fatal(err)
	}
	r := <-released
	if r.Reason != detect.Released || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], `the tests are\nfixed`) {
		t.Errorf("reason %s, notes %q", r.Reason, r.Notes)
	}
	expect(t, say(t, s, "echo again"), detect.Prompt, "again")
	list, _, err := s.Messages("", 100)
	if err != nil {
		t.Fatal(err)
	}
	var who []string
	for _, m := range list {
		if m.Type == state.MessageInput {
			who = append(who, m.Person)
		}
	}
	if got := strings.Join(who, ","); got != "Ann," {
		t.Errorf("inputs by %q", got)
	}
}

// TestPause checks that a pause refuses the agent's input, and that the agent can still read.
func TestPause(t *testing.T) {
	t.Parallel()
	s, _ := launch(t, newManager(t), "bash", "--norc")
	attends(t, s, ann)
	if err := s.As(ann).Pause(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Type(t.Context(), Input{Text: "agent"}); !errors.Is(err, ErrPersonControls) || !strings.Contains(err.Error(), "Ann has paused this session since") {
		t.Errorf("the agent typed in a pause: %v", err)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilReleased, Timeout: MinTimeout}); r.Reason != detect.Timeout {
		t.Errorf("released in a pause: %s", r.Reason)
	}
	if err := s.As(bob).GiveBack("", false); err != nil {
		t.Errorf("Bob lifts the pause: %v", err)
	}
	expect(t, say(t, s, "echo on"), detect.Prompt, "on")
}

// TestHolderGone checks that the keyboard is free when the session has ended.
func TestHolderGone(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	attends(t, s, ann)
	if err := s.As(ann).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.As(ann).Type(t.Context(), Input{Text: "exit", Enter: true}); err != nil {
		t.Fatal(err)
	}
	if r := exchange(t, s, Input{}, Wait{Until: UntilReleased, Timeout: patience}); r.Reason != detect.Exited {
		t.Errorf("reason %s", r.Reason)
	}
	if k := s.Facts().Keyboard; k.State != KeyboardFree {
		t.Errorf("held after the end: %+v", k)
	}
	if err := s.As(ann).TakeOver(false); !errors.Is(err, ErrExited) {
		t.Errorf("taken over after the end: %v", err)
	}
}

// TestTypeSecret checks that a person can answer a password prompt that the agent met: the agent's
// wait ends, and the secret is kept nowhere.
func TestTypeSecret(t *testing.T) {
	s, _ := launch(t, newManager(t), "bash", "--norc")
	if err := s.As(ann).TypeSecret(t.Context(), "hunter2"); !errors.Is(err, ErrNoSecret) {
		t.Errorf("a secret for a shell: %v", err)
	}
	r := exchange(t, s, Input{Text: "read -sp 'Password: ' p; echo; echo ${#p} characters", Enter: true}, Wait{Timeout: patience})
	if r.Reason != detect.Password || !s.AsksSecret() {
		t.Fatalf("reason %s, output %q", r.Reason, r.Output)
	}
	done := make(chan *Reply, 1)
	go func() {
		r, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilChange, Since: &r.Revision, Timeout: patience}, nil)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	if err := s.As(ann).TypeSecret(t.Context(), "hunter2"); err != nil {
		t.Fatal(err)
	}
	<-done
	awaitText(t, s, "7 characters")
	if s.AsksSecret() {
		t.Error("the session still asks after the answer")
	}
	var all bytes.Buffer
	if err := writeRecording(s, &all); err != nil {
		t.Fatal(err)
	}
	list, _, err := s.Messages("", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		all.WriteString(m.Content)
	}
	if strings.Contains(all.String(), "hunter2") {
		t.Errorf("the secret is kept in %s", all.String())
	}
}

func TestPersonArguments(t *testing.T) {
	s, _ := launch(t, newManager(t), "cat")
	for name, err := range map[string]error{
		"long note": s.As(ann).GiveBack(strings.Repeat("x", 1001), false),
		"two lines": s.As(ann).TypeSecret(t.Context(), "a\nb"),
		"not held":  s.As(ann).GiveBack("", false),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if k := s.Facts().Keyboard; k.State != KeyboardFree || !k.Since.Equal(time.Time{}) {
		t.Errorf("the keyboard has changed: %+v", k)
	}
}

// TestHeldPeople checks that people decide on input that the danger check holds: one is refused,
// another approved, and the agent is told.
func TestHeldPeople(t *testing.T) {
	s, _ := launch(t, forbidding(t), "bash", "--norc")
	hold := func() {
		t.Helper()
		if _, err := s.Exchange(t.Context(), Input{Text: "echo forbidden", Enter: true}, Wait{Timeout: patience}, nil); !errors.As(err, new(*HeldError)) {
			t.Fatalf("not held: %v", err)
		}
		if h := s.Held(); len(h) != 1 || h[0].Line != "echo forbidden" || len(h[0].Why) == 0 {
			t.Fatalf("held: %+v", h)
		}
	}
	hold()
	if err := s.As(ann).Refuse("echo forbidden"); err != nil {
		t.Fatal(err)
	}
	if err := s.As(bob).Approve(t.Context(), "echo forbidden"); !errors.Is(err, ErrNotConfirmed) || !strings.Contains(err.Error(), `Ann has refused "echo forbidden"`) {
		t.Errorf("approved after the refusal: %v", err)
	}
	hold()
	if err := s.As(bob).TakeOver(false); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).Approve(t.Context(), "echo forbidden"); !errors.Is(err, ErrPersonControls) {
		t.Errorf("approved while Bob types: %v", err)
	}
	if err := s.As(bob).GiveBack("", false); err != nil {
		t.Fatal(err)
	}
	if err := s.As(ann).Approve(t.Context(), "echo forbidden"); err != nil {
		t.Fatal(err)
	}
	r := exchange(t, s, Input{}, Wait{Timeout: patience})
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(r.Output, "forbidden") || !strings.Contains(notes, "Ann refused") || !strings.Contains(notes, "Ann approved") {
		t.Errorf("output %q, notes %q", r.Output, notes)
	}
	if h := s.Held(); len(h) != 0 {
		t.Errorf("still held: %+v", h)
	}
	answers := s.Facts().Answers
	if len(answers) != 2 || answers[0].Allowed || !answers[1].Allowed || answers[1].At.Before(answers[0].At) {
		t.Fatalf("answers %+v", answers)
	}
	for _, a := range answers {
		if a.By != "Ann" || a.ID != ann.ID || a.Line != "echo forbidden" {
			t.Errorf("answer %+v", a)
		}
	}
}
