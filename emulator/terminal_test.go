package emulator

import (
	"strings"
	"testing"
)

// feed returns a new terminal of rows × cols after writing s to it.
func feed(rows, cols int, s string) *Terminal {
	t := New(Options{Size: Size{Rows: rows, Cols: cols}})
	t.Write([]byte(s))
	return t
}

// allLines returns all lines of the terminal, from line 0.
func allLines(t *Terminal) []Line { return t.Lines(0, t.EndLine()) }

func texts(lines []Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return strings.Join(out, "\n")
}

func TestTopRepaints(t *testing.T) {
	term := feed(5, 20, "$ top\r\n")
	frame := "\x1b[Htop - 1\x1b[K\r\nTasks\x1b[K\r\n\x1b[K\r\nPID\x1b[K\r\n1 init\x1b[K"
	term.Write([]byte("\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J" + frame))
	if !term.FullScreen() {
		t.Fatal("FullScreen is false after the first frame")
	}
	term.Write([]byte(frame))
	if !term.FullScreen() {
		t.Fatal("FullScreen is false after the second frame")
	}
	term.Write([]byte("\x1b[?1l\x1b>\x1b[25;1H\r\n\x1b[?12l\x1b[?25h$ echo\r\nhi\r\n$ "))
	if term.FullScreen() {
		t.Error("FullScreen is true after top exited")
	}
	if got, want := texts(allLines(term)), "$ top\ntop - 1\nTasks\n\nPID\n1 init\n$ echo\nhi\n$"; got != want {
		t.Errorf("lines after top: %q, want %q", got, want)
	}
}

func TestSmoke(t *testing.T) {
	term := feed(4, 10, "hello\r\nlong line here\r\n日本e\u0301\x1b[31mx\x1b[m\r\nlast\r\nmore")
	if got := term.Snapshot(-1); got.Text() != "here\n日本e\u0301x\nlast\nmore" {
		t.Errorf("got screen %q", got.Text())
	}
	if got := texts(allLines(term)); got != "hello\nlong line here\n日本e\u0301x\nlast\nmore" {
		t.Errorf("got lines %q", got)
	}
	term.Resize(Size{Rows: 8, Cols: 20})
	if got := term.Snapshot(-1); got.Text() != "hello\nlong line here\n日本e\u0301x\nlast\nmore" {
		t.Errorf("got screen %q after the resize", got.Text())
	}
	if got := texts(allLines(term)); got != "hello\nlong line here\n日本e\u0301x\nlast\nmore" {
		t.Errorf("got lines %q after the resize", got)
	}
	if c := term.Cursor(); c.Row != 4 || c.Col != 4 {
		t.Errorf("got cursor %v, want row 4, column 4", c)
	}
}
