package picture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/recording"
)

// TestANSIReproduces checks that the ANSI output for the screens of real
// programs, written to a new Terminal, shows the same characters in the same
// styles, links included.
func TestANSIReproduces(t *testing.T) {
	files, err := filepath.Glob("../testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		if strings.HasPrefix(name, "vttest-") && testing.Short() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for label, snap := range checkpoints(t, file) {
				again := emulator.New(emulator.Options{Size: snap.Size})
				text := render(t, "ansi", snap, Options{})
				if snap.Modes.Graphemes {
					text = "\x1b[?2027h" + text
				}
				_, _ = again.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
				sameCells(t, label, again.Snapshot(0), snap)
			}
		})
	}
}

// checkpoints replays a recording and returns the screens at its checkpoints.
func checkpoints(t *testing.T, file string) map[string]*emulator.Snapshot {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := recording.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*emulator.Snapshot{}
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: rec.Rows, Cols: rec.Cols}})
	for _, e := range rec.Events {
		switch e.Kind {
		case recording.Output:
			_, _ = term.Write(e.Data)
		case recording.Resize:
			term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
		case recording.Checkpoint:
			out[e.Label] = term.Snapshot(0)
		}
	}
	return out
}

// sameCells compares the visible contents of two screens: an erased cell equals
// a blank, and the style of a blank at the end of a row counts only if it is
// visible.
func sameCells(t *testing.T, label string, got, want *emulator.Snapshot) {
	t.Helper()
	for row := range want.Screen {
		for col, w := range want.Screen[row].Cells {
			g := got.Screen[row].Cells[col]
			if seen(g) != seen(w) {
				t.Errorf("%s: row %d, column %d shows %+v, want %+v", label, row, col, seen(g), seen(w))
				return
			}
		}
	}
}

// seen returns a cell without its invisible attributes.
func seen(c emulator.Cell) emulator.Cell {
	c.Style.Attrs &^= emulator.Protected
	if c.Text == " " {
		c.Text = ""
	}
	if c.Text == "" && !showsOnBlank(c.Style) {
		c.Style = emulator.Style{}
	}
	return c
}
