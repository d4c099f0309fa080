package picture

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestStreamHTML checks that StreamHTML writes the same bytes as HTML, and that it
// reads rows only as it writes them.
func TestStreamHTML(t *testing.T) {
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 4, Cols: 20}, ScrollbackLines: 100_000})
	for i := range 5000 {
		fmt.Fprintf(term, "%d \x1b[1;3%dm<b>日本\x1b[m and a line that wraps\r\n", i, i%8)
	}
	fmt.Fprint(term, "\x1b]0;a title\x07> \x1b[2D")
	shot := term.Snapshot(-1)
	var want, got bytes.Buffer
	if err := HTML(&want, shot, Options{}); err != nil {
		t.Fatal(err)
	}
	ahead := 0
	rows := func(yield func(emulator.Row) bool) {
		n := 0
		for row := range term.Rows() {
			if n++; !yield(row) {
				return
			}
			if got.Len() == 0 {
				ahead = n
			}
		}
	}
	if err := StreamHTML(&got, rows, term.ScrollbackRows(), term.Snapshot(0)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Errorf("StreamHTML wrote %d bytes that differ from the %d of HTML", got.Len(), want.Len())
	}
	if ahead > 500 {
		t.Errorf("StreamHTML read %d rows before it wrote the first, want at most 500", ahead)
	}
}
