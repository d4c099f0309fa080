package session

import (
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/need"
)

// TestSlowOutput checks that a call whose time is over ends after a few pieces of output, not after
// all of it, while a program fills a large screen again and again.
func TestSlowOutput(t *testing.T) {
	need.Long(t)
	need.Program(t, "bash")
	m := newManager(t)
	size := emulator.Size{Rows: 1000, Cols: 1000}
	fill := `stty -echo; for i in {1..300}; do printf '\e[120;1;1;999;999$x'; done; read`
	s, err := m.Start(t.Context(), StartOptions{Command: "bash", Args: []string{"-c", fill}, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	const pieces = 15 // of the 30 that the program writes
	taken := func() int64 { return locked(s, func() int64 { return s.state.Raw.Total }) }
	for range 3 {
		before := taken()
		if _, err := s.Exchange(t.Context(), Input{}, Wait{Until: UntilExit, Timeout: MinTimeout}, nil); err != nil {
			t.Fatal(err)
		}
		if n := (taken() - before) / int64(pieceFor(size)); n > pieces {
			t.Errorf("a call of %s waited for %d pieces of output", MinTimeout, n)
		}
	}
}
