package emulator

import (
	"bytes"
	"testing"
)

// TestFloodBypassesVT10x checks that lines that scroll off the screen before
// anyone reads it never reach vt10x.
func TestFloodBypassesVT10x(t *testing.T) {
	term := New(Options{})
	term.Snapshot(0)
	term.Write(plainStream())
	if n := len(term.main.store.out); n != 0 {
		t.Errorf("%d bytes are queued for vt10x before the screen was read", n)
	}
	blanks := make([]glyph, 80)
	term.main.store.read(23, blanks)
	if usedLen(blanks) != 0 {
		t.Error("vt10x received a row before the screen was read")
	}
	got := term.Snapshot(0).Text()
	lines := bytes.Split(bytes.TrimSpace(plainStream()), []byte("\r\n"))
	if want := string(bytes.TrimRight(lines[len(lines)-1], " ")); got[len(got)-len(want):] != want {
		t.Errorf("the last row is not %q in\n%s", want, got)
	}
}

// TestAllocations checks that writing needs at most one allocation per
// kilobyte, far below one per character or line.
func TestAllocations(t *testing.T) {
	for name, stream := range streams {
		data := stream()[:256<<10]
		term := New(Options{})
		term.Write(data)
		n := testing.AllocsPerRun(5, func() { term.Write(data) })
		t.Logf("%s: %.0f allocations for %d bytes", name, n, len(data))
		if limit := float64(len(data) / 1024); n > limit {
			t.Errorf("%s: got %.0f allocations, want at most %.0f", name, n, limit)
		}
	}
}
