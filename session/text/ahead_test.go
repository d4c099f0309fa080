package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// TestTypedAheadEchoes checks which lines are echoes of lines that were typed while a command ran,
// or right after it. It looks for them after each piece of output, or only at the end.
func TestTypedAheadEchoes(t *testing.T) {
	for _, tt := range []struct {
		name, command, typed string
		pieces               []string
		want                 []string // the output
	}{
		{"repeated by a line editor", "", "echo b\n", []string{"echo b\r\n", "a\r\n", "$ ", "echo b\r\n", "b\r\n", "$ "}, []string{"a", "b"}},
		{"several lines", "", "echo b\necho c\n", []string{"echo b\r\necho c\r\n", "a\r\n", "$ ", "echo b\r\nb\r\n", "$ echo c\r\n", "c\r\n", "$ "}, []string{"a", "b", "c"}},
		{"the same line twice", "", "echo b\necho b\n", []string{"echo b\r\necho b\r\n", "$ echo b\r\nb\r\n", "$ echo b\r\nb\r\n", "$ "}, []string{"b", "b"}},
		{"another program reads the first", "", "b\necho c\n", []string{"b\r\necho c\r\n", "a\r\n", "$ echo c\r\n", "c\r\n", "$ "}, []string{"a", "c"}},
		{"right behind a command", "sleep 1; echo a\n", "echo b\n", []string{"sleep 1; echo a\r\necho b\r\n", "a\r\n$ ", "echo b\r\nb\r\n$ "}, []string{"a", "b"}},
		{"right behind itself", "echo a\n", "echo a\n", []string{"echo a\r\necho a\r\n", "a\r\n$ ", "echo a\r\na\r\n$ "}, []string{"a", "a"}},
		{"right behind a longer line", "echo a\n", "ec\n", []string{"echo a\r\nec\r\n", "a\r\n$ ", "ec\r\n?\r\n$ "}, []string{"a", "?"}},
		{"a key without an echo", "cat\n", "", []string{"cat\r\n", "a$\r\n$ "}, []string{"a$"}},
		{"not repeated", "", "b\n", []string{"b\r\n", "a\r\n", "b\r\n"}, []string{"a", "b"}},
	} {
		for _, every := range []bool{false, true} {
			term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
			var e Echoes
			var prompts detect.Prompts
			prompts.Learn("$ ", false)
			at, prompt := emulator.Position{}, -1
			if tt.command != "" { // its echo has not been read yet
				_, _ = term.Write([]byte("$ "))
				at, prompt = emulator.Position{Offset: 2}, 0
				e.Typed(&Typed{Text: tt.command, At: at, Before: "$ ", Prompt: prompt})
			}
			e.Typed(&Typed{Text: tt.typed, Kernel: true, At: at, Before: "$ "[:at.Offset], Prompt: prompt})
			for i, p := range tt.pieces {
				_, _ = term.Write([]byte(p))
				if every || i == len(tt.pieces)-1 {
					e.Resolve(term, &prompts)
				}
			}
			var got []string
			cursor, _ := term.CursorPosition()
			for _, l := range term.Lines(0, cursor.Line) {
				var spans []Span
				for _, sp := range e.Spans {
					if sp.Line == l.Number {
						spans = append(spans, sp)
					}
				}
				if left, gone := Strip(l.Text, Unchanged(spans, l.Text)); !gone {
					got = append(got, left)
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s, each piece: %v: want -, got +\n%s", tt.name, every, d)
			}
		}
	}
}
