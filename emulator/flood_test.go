package emulator

import (
	"bytes"
	"testing"
)

// TestFloodPassesVT10xBy checks that lines which scroll off before anybody looks
// never reach vt10x.
func TestFloodPassesVT10xBy(t *testing.T) {
	term := New(Options{})
	term.Snapshot(0)
	term.Write(plainStream())
	if n := len(term.main.store.out); n != 0 {
		t.Errorf("%d bytes wait for vt10x before anybody looked", n)
	}
	blanks := make([]glyph, 80)
	term.main.store.read(23, blanks)
	if used(blanks) != 0 {
		t.Error("vt10x was told of a row before anybody looked")
	}
	got := term.Snapshot(0).Text()
	lines := bytes.Split(bytes.TrimSpace(plainStream()), []byte("\r\n"))
	if want := string(bytes.TrimRight(lines[len(lines)-1], " ")); got[len(got)-len(want):] != want {
		t.Errorf("the last row is not %q in\n%s", want, got)
	}
}

// TestAllocations holds writing to a few allocations a kilobyte, far below one
// a character or a line.
func TestAllocations(t *testing.T) {
	for name, stream := range streams {
		data := stream()[:256<<10]
		term := New(Options{})
		term.Write(data)
		n := testing.AllocsPerRun(5, func() { term.Write(data) })
		t.Logf("%s: %.0f allocations for %d bytes", name, n, len(data))
		if limit := float64(len(data) / 1024); n > limit {
			t.Errorf("%s: %.0f allocations, at most %.0f are allowed", name, n, limit)
		}
	}
}
