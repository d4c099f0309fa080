package session

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestSlowOutput has a program fill a large screen again and again: a call ends in its
// time all the same.
func TestSlowOutput(t *testing.T) {
	need.Long(t)
	need.Program(t, "bash")
	m := newManager(t)
	fill := `stty -echo; for i in {1..500}; do printf '\e[120;1;1;999;999$x'; done; read`
	s, err := m.Start(t.Context(), StartOptions{Command: "bash", Args: []string{"-c", fill}, Size: emulator.Size{Rows: 1000, Cols: 1000}})
	if err != nil {
		t.Fatal(err)
	}
	for range 8 {
		began := time.Now()
		if _, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilExit, Timeout: MinTimeout}, nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > raceFactor*3*time.Second {
			t.Errorf("a call of %s took %s", MinTimeout, took)
		}
	}
}
