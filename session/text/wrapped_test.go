package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/emulator"
)

// TestWrappedEcho checks the echo of a typed line that is longer than the screen is wide, as line
// editors draw it.
func TestWrappedEcho(t *testing.T) {
	const typed = "echo one two three four"
	for _, c := range []struct {
		name, drawn string
		lines       int // of the echo; 0 if it is not one
	}{
		{"zsh and busybox wrap by themselves", "echo one two t\r\nhree four\r\nout\r\n", 2},
		{"JLine drops the blank at the wrap", "echo one two\r\nthree four\r\nout\r\n", 2},
		{"IPython repeats a prompt", "echo one two t\r\n   ...: hree four\r\nout\r\n", 2},
		{"not drawn to the end yet", "echo one two t\r\n", 0},
		{"other text", "echo one two t\r\nout\r\nout\r\n", 0},
		{"more on the line", "echo one two t\r\nhree four five\r\nout\r\n", 0},
	} {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 10, Cols: 20}})
		if _, err := term.Write([]byte("$ ")); err != nil {
			t.Fatal(err)
		}
		at, _ := term.CursorPosition()
		l := typedLine{Typed: Typed{Text: typed, At: at}, Ended: true, Start: &at, Place: atCursor}
		if _, err := term.Write([]byte(c.drawn)); err != nil {
			t.Fatal(err)
		}
		cursor, _ := term.CursorPosition()
		var want []Span
		for i := range c.lines {
			want = append(want, Span{Line: int64(i), To: LineEnd})
		}
		if got, whole := l.wrapped(term, cursor.Line); whole != (want != nil) || !cmp.Equal(got, want, cmp.AllowUnexported(Span{})) {
			t.Errorf("%s: got %v, want %v", c.name, got, want)
		}
	}
}

// TestCutRedrawn checks which lines are the echo of a command that fish began to draw after the
// output of a job.
func TestCutRedrawn(t *testing.T) {
	const typed = "printf 'a b'; echo c"
	for rest, want := range map[string]bool{
		"printf                printf 'a b'; echo c": true,
		"printf 'a   printf 'a b'; echo c":           true,
		typed:                                        false, // an echo like any other
		"<job>    " + typed:                          false,
		"printf      printf 'a b'; echo":             false,
		"":                                           false,
	} {
		if n, ok := cutRedrawn(rest, typed); ok != want || ok && n != len(rest) {
			t.Errorf("cutRedrawn(%q) = %d, %v; want %v", rest, n, ok, want)
		}
	}
}
