package session

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// TestLateEchoSearchedOnce keeps looking for an echo that a line editor may
// still show, but only where it has not looked yet: much output in between does
// not make each reply slower.
func TestLateEchoSearchedOnce(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 24, Cols: 80}})
	var e echoes
	var prompts detect.Prompts
	e.add(typedLine{text: "make all", ended: true, prompt: -1})
	for range 3 {
		term.Write([]byte(strings.Repeat("some line\r\n", 1000)))
		e.resolve(term, &prompts)
		cursor, _ := term.CursorPosition()
		if len(e.pending) != 1 || e.pending[0].at.Line != cursor.Line {
			t.Fatalf("with the cursor on line %d: %+v", cursor.Line, e.pending)
		}
	}
	term.Write([]byte("> make all\r\n"))
	if e.resolve(term, &prompts); len(e.pending) != 0 || len(e.spans) != 1 || e.spans[0].line != 3000 {
		t.Errorf("pending %+v, spans %+v", e.pending, e.spans)
	}
}
