package wait

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/state"
)

// TestGuessAgain checks that a guess comes later when a reader that has received it waits again,
// until something has changed.
func TestGuessAgain(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		guessed  uint64
		revision uint64
		typed    bool
		want     time.Duration
	}{
		{"the first guess", 0, 1, false, 0},
		{"the same", 1, 1, false, repeatGuess},
		{"after typing", 1, 1, true, 0},
		{"after a change", 1, 2, false, 0},
	} {
		g := &Goal{Start: at, Reader: &state.Reader{Guessed: tt.guessed}}
		if tt.typed {
			g.Input = &state.Input{}
		}
		if got := max(0, g.guessDue(tt.revision).Sub(at)); got != tt.want {
			t.Errorf("%s: due after %s, want %s", tt.name, got, tt.want)
		}
	}
}
