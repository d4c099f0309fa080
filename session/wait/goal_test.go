package wait

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/state"
)

// TestGuessAgain checks that the same guess comes later each time when a reader waits again, until
// something has changed.
func TestGuessAgain(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &state.Reader{}
	for _, step := range []struct {
		name     string
		settled  bool // the reply before it
		revision uint64
		typed    bool
		want     time.Duration
	}{
		{"the first guess", false, 1, false, 0},
		{"the same", true, 1, false, 2 * time.Second},
		{"the third time", true, 1, false, 4 * time.Second},
		{"after typing", true, 1, true, 0},
		{"after a change", true, 2, false, 2 * time.Second},
		{"after a sure answer", false, 2, false, 0},
	} {
		r.Guess(step.settled, step.revision)
		g := &Goal{Start: at, Reader: r}
		if step.typed {
			g.Input = &state.Input{}
		}
		due := g.guessDue(step.revision)
		if got := max(0, due.Sub(at)); got != step.want {
			t.Errorf("%s: due after %s, want %s", step.name, got, step.want)
		}
		if g.guessDue(step.revision+1) != (time.Time{}) {
			t.Errorf("%s: a guess at a new revision has to wait", step.name)
		}
	}
	for range 100 {
		r.Guess(true, 3)
	}
	if due := (&Goal{Start: at, Reader: r}).guessDue(3); due.Sub(at) != guessAgain<<maxGuesses {
		t.Errorf("after 100 guesses: due after %s", due.Sub(at))
	}
}
