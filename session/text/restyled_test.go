package text

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestRestyled checks a highlight that moves over a menu without a marker in its text.
func TestRestyled(t *testing.T) {
	w := &watcher{term: emulator.New(emulator.Options{Size: emulator.Size{Rows: 4, Cols: 10}})}
	restyled := func() string {
		t.Helper()
		var out []string
		for _, l := range w.seen.Restyled(w.lines(w.seen.Line), w.term.FirstScreenLine()) {
			out = append(out, l.Text)
		}
		w.look()
		if again := w.seen.Restyled(w.lines(w.seen.Line), w.term.FirstScreenLine()); len(again) > 0 {
			t.Errorf("again: %v", again)
		}
		return strings.Join(out, "|")
	}
	for _, tt := range []struct{ name, write, want string }{
		{"new", "pick one\r\n\x1b[7mone\x1b[m\r\ntwo\r\nthree", ""},
		{"moved", "\x1b[2;1Hone\r\n\x1b[7mtwo\x1b[m", "one|two"},
		{"drawn again as it was", "\x1b[2;1Hone\r\n\x1b[7mtwo\x1b[m", ""},
		{"underlined", "\x1b[2;1H\x1b[4mone\x1b[m", "one"},
		{"another text", "\x1b[2;1H\x1b[7mnew\x1b[m", ""},
		{"one letter", "\x1b[4;5H\x1b[31me\x1b[m", "three"},
		{"scrolled", "\r\n", ""},
		{"the first line is a long one", "\x1b[H\x1b[2J\x1b[7m0123456789abc\x1b[m\r\nx\r\ny", ""},
		{"and has half scrolled away", "\r\nz", ""},
		{"a marker in a row that wraps", "\x1b[H\x1b[2J0123456789abc\r\nx\x1b[2;2H\x1b[1mb\x1b[m", ""},
		{"and moves there", "\x1b[2;2Hb\x1b[1mc\x1b[m", "0123456789abc"},
	} {
		w.term.Write([]byte(tt.write))
		if got := restyled(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	w.term.Resize(emulator.Size{Rows: 4, Cols: 20})
	if got := restyled(); got != "" {
		t.Errorf("resized: %q", got)
	}
}
