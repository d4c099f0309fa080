package emulator

import (
	"fmt"
	"testing"
)

func rowRevisions(s *Snapshot) string {
	var out []uint64
	for _, r := range s.Screen {
		out = append(out, r.Revision)
	}
	return fmt.Sprint(out)
}

func TestRevisionGrowsWithWhatIsSeen(t *testing.T) {
	term := New(Options{Size: Size{3, 10}})
	for _, step := range []struct {
		write string
		grows bool
		rows  string
	}{
		{"a", true, "[1 0 0]"},
		{"", false, "[1 0 0]"},
		{"\x1b[31m", false, "[1 0 0]"},
		{"\r\nb", true, "[1 2 0]"},
		{"\x1b[H\x1b[mab", true, "[3 2 0]"},
		{"\x1b[Ha\x1b[2C", true, "[3 2 0]"}, // same text, only the cursor moved
		{"\x1b[?2004h", false, "[3 2 0]"},
		{"\x1b]2;t\a", true, "[3 2 0]"},
		{"\x1b[?25l", true, "[3 2 0]"},
		{"\x1b[5n", false, "[3 2 0]"},
		{"\x1b[3;1H\n", true, "[7 7 7]"}, // every row shows another line
		{"\x1b[?1049h", true, "[8 8 8]"},
		{"\x1b[2;1Hx", true, "[8 9 8]"},
		{"\x1b[?1049l", true, "[10 10 10]"},
	} {
		before := term.Revision()
		term.Write([]byte(step.write))
		if grew := term.Revision() > before; grew != step.grows {
			t.Errorf("after %q: revision %d, before %d", step.write, term.Revision(), before)
		}
		if got := rowRevisions(term.Snapshot(0)); got != step.rows {
			t.Errorf("after %q: revisions of the rows %s, want %s", step.write, got, step.rows)
		}
	}
	before := term.Revision()
	term.Resize(Size{3, 10})
	if term.Revision() != before {
		t.Error("a resize to the same size changed the revision")
	}
	term.Resize(Size{4, 10})
	if term.Revision() != before+1 {
		t.Error("a resize did not change the revision")
	}
}

func TestLinesKeepTheirRevision(t *testing.T) {
	term := New(Options{Size: Size{2, 10}})
	for _, w := range []string{"one\r\n", "two\r\n", "three\r\n", "four", "\rFOUR"} {
		term.Write([]byte(w))
	}
	want := []uint64{1, 2, 3, 5}
	for i, l := range allLines(term) {
		if l.Revision != want[i] {
			t.Errorf("line %d (%s): revision %d, want %d", l.Number, l.Text, l.Revision, want[i])
		}
	}
}

func TestSnapshotsAreImmutable(t *testing.T) {
	term := New(Options{Size: Size{2, 5}})
	term.Write([]byte("one\r\ntwo"))
	a := term.Snapshot(0)
	term.Write([]byte("\x1b[HXXX\r\nYYY\r\nZZZ"))
	term.Resize(Size{1, 3})
	if a.Text() != "one\ntwo" {
		t.Errorf("the snapshot changed to %q", a.Text())
	}
}
