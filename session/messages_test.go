package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/internal/need"
	"github.com/glasstty/glasstty/session/state"
)

// TestPersonsLine checks that a line that a person types key by key is one message, and still is
// for the next server.
func TestPersonsLine(t *testing.T) {
	t.Parallel()
	withSavedStates(t, func(t *testing.T, h *house) {
		s, _ := launch(t, h.m, need.Program(t, "bash"), "--norc")
		ann := Person{ID: "a", Name: "ann"}
		if err := s.As(ann).TakeOver(false); err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{"echo one", "echo two"} {
			for _, key := range line {
				if _, err := s.As(ann).Type(t.Context(), Input{Text: string(key)}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.As(ann).Type(t.Context(), Input{Enter: true}); err != nil {
				t.Fatal(err)
			}
			exchange(t, s, Input{}, Wait{Pattern: literal("\n" + strings.Fields(line)[1]), Timeout: patience})
		}
		for range 2 {
			all, _, err := s.Messages("", state.MaxMessages)
			if err != nil {
				t.Fatal(err)
			}
			var typed []string
			for _, m := range all {
				if m.Type == state.MessageInput {
					typed = append(typed, m.Content)
				}
			}
			if d := cmp.Diff([]string{"echo one\n", "echo two\n"}, typed); d != "" {
				t.Error(d)
			}
			s = h.restart(s.ID())
		}
	})
}
