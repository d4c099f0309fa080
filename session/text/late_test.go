package text

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// TestLateEchoSearchedOnce checks that an echo that a line editor may still show is looked for only
// where no search has been yet: much output in between does not make each reply slower.
func TestLateEchoSearchedOnce(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
	var e Echoes
	var prompts detect.Prompts
	e.Pending = append(e.Pending, typedLine{Typed: Typed{Text: "make all", Prompt: -1}, Ended: true})
	for range 3 {
		term.Write([]byte(strings.Repeat("some line\r\n", 1000)))
		e.Resolve(term, &prompts)
		cursor, _ := term.CursorPosition()
		if len(e.Pending) != 1 || e.Pending[0].At.Line != cursor.Line {
			t.Fatalf("with the cursor on line %d: %+v", cursor.Line, e.Pending)
		}
	}
	term.Write([]byte("> make all\r\n"))
	if e.Resolve(term, &prompts); len(e.Pending) != 0 || len(e.Spans) != 1 || e.Spans[0].Line != 3000 {
		t.Errorf("pending %+v, spans %+v", e.Pending, e.Spans)
	}
}
