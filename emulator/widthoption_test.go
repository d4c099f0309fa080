package emulator

import "testing"

// TestClusters checks that Options.Clusters determines the widths of grapheme
// clusters from the first character on and after RIS, unless the program
// changes mode 2027.
func TestClusters(t *testing.T) {
	for _, c := range []struct {
		clusters bool
		text     string
		col      int
	}{
		{false, "❤️", 1}, {true, "❤️", 2},
		{false, "👩‍💻", 4}, {true, "👩‍💻", 2},
		{true, "x\x1bc❤️", 2}, {true, "\x1b[?2027l❤️", 1}, {false, "\x1b[?2027h❤️", 2},
		{true, "日e\u0301", 3},
		{false, "1️⃣", 1}, {true, "1️⃣", 2}, {true, "x#️⃣y", 4}, {true, "1\x1b[m️⃣", 1}, {true, "1⃣", 1}, {true, "a️", 1},
	} {
		term := New(Options{Clusters: c.clusters})
		term.Write([]byte(c.text))
		if got := term.Cursor().Col; got != c.col {
			t.Errorf("clusters %v, after %q: cursor in column %d, want %d", c.clusters, c.text, got, c.col)
		}
	}
}

// TestClusterPosition checks that CursorPosition returns the position after the
// text of grapheme clusters, including lines that begin above the screen.
func TestClusterPosition(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		term := New(Options{Size: Size{Rows: 2, Cols: 8}, Clusters: clusters})
		text := ""
		for range 9 {
			text += "a❤️👩‍💻"
			term.Write([]byte("a❤️👩‍💻"))
			at, _ := term.CursorPosition()
			line := term.Lines(at.Line, at.Line+1)
			if len(line) != 1 || line[0].Text != text || CutCells(text, at.Offset) != "" || CutCells(text+"b", at.Offset) != "b" {
				t.Fatalf("clusters %v: CursorPosition is after %d cells of %q, and CutCells leaves %q", clusters, at.Offset, text, CutCells(text+"b", at.Offset))
			}
		}
	}
}

// TestLight checks the replies to queries for the foreground and background
// colours and the colour scheme.
func TestLight(t *testing.T) {
	for light, want := range map[bool]string{
		false: "\x1b]10;rgb:e5e5/e5e5/e5e5\a\x1b]11;rgb:0000/0000/0000\a\x1b[?997;1n",
		true:  "\x1b]10;rgb:0000/0000/0000\a\x1b]11;rgb:ffff/ffff/ffff\a\x1b[?997;2n",
	} {
		term := New(Options{Light: light})
		term.Write([]byte("\x1b]10;?;?\a\x1b[?996n"))
		if got := string(term.TakeReplies()); got != want {
			t.Errorf("light %v: replies %q, want %q", light, got, want)
		}
	}
}
