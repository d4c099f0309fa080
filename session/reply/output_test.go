package reply

import (
	"strings"
	"testing"
)

// TestRawLimits checks what is returned of raw output that is too long.
func TestRawLimits(t *testing.T) {
	for p, want := range map[string]string{
		"":              "",
		"\x1b[1m789":    "\x1b[1m789",
		"\xff\xff34567": "\uFFFD34567",
		"12345678é":     "12\n… 2 characters left out; read_output from_line=4 gets what is kept of them, without escapes …\n5678é",
	} {
		text, cut := joinRaw([]byte(p), 7, 4)
		if text != want || cut != (text != strings.ToValidUTF8(p, "\uFFFD")) {
			t.Errorf("%q: %q, cut: %v", p, text, cut)
		}
	}
	for _, tt := range []struct {
		p           string
		lines, want int
	}{{"", 3, 0}, {"a\nb\nc", 0, 5}, {"a\nb\nc", 2, 4}, {"a\nb\n", 2, 4}, {"a\nb", 2, 3}, {"a\nb\nc", 3, 5}} {
		if got := rawLines([]byte(tt.p), tt.lines); got != tt.want {
			t.Errorf("%d lines of %q are %d bytes, want %d", tt.lines, tt.p, got, tt.want)
		}
	}
}
