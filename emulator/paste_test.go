package emulator

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEncodePaste(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"a\tb\n", "a\tb\r"},
		{"a\r\nb\rc", "a\rb\rc"},
		{"日本\n😀", "日本\r😀"},
		{"x\x1b[201~rm -rf\n", "x [201~rm -rf\r"},
		{"x\u009b201~y", "x 201~y"},
		{"x\x9b201~y", "x\uFFFD201~y"},
		{"\x00\x03\x04\x05\b\x7f\x1a", "       "},
		{"\x1b\x1b[201~[201~", "  [201~[201~"},
	} {
		if got := string(EncodePaste(tt.in, Modes{})); got != tt.want {
			t.Errorf("EncodePaste(%q) = %q, want %q", tt.in, got, tt.want)
		}
		want := "\x1b[200~" + tt.want + "\x1b[201~"
		if got := string(EncodePaste(tt.in, Modes{BracketedPaste: true})); got != want {
			t.Errorf("EncodePaste(%q) with 2004 = %q, want %q", tt.in, got, want)
		}
	}
}

// FuzzEncodePaste checks that no text can end the bracketed paste.
func FuzzEncodePaste(f *testing.F) {
	f.Add("\x1b[201~")
	f.Add("\xc2\x9b201~")
	f.Add("\x1b\x1b\xff[201~")
	f.Fuzz(func(t *testing.T, text string) {
		got := string(EncodePaste(text, Modes{BracketedPaste: true}))
		inner, ok1 := strings.CutPrefix(got, "\x1b[200~")
		inner, ok2 := strings.CutSuffix(inner, "\x1b[201~")
		if !ok1 || !ok2 || strings.ContainsFunc(inner, func(r rune) bool {
			return r < ' ' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0
		}) || !utf8.ValidString(inner) {
			t.Errorf("EncodePaste(%q) = %q, which is not one bracketed paste of plain text", text, got)
		}
	})
}
