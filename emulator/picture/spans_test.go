package picture

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestSpans checks that spans cover the columns of their text, and that wide
// and rare characters have their own spans.
func TestSpans(t *testing.T) {
	for _, tt := range []struct{ name, bytes, want string }{
		{"plain", "hello", "hello/5"},
		{"a colour", "a\x1b[31mb\x1b[mc", "a/1 b/1 c/1"},
		{"wide", "a中b", "a/1 中/2! b/1"},
		{"combining", "ae\u0301x", "a/1 e\u0301/1! x/1"},
		{"box drawing", "┌─┐█", "┌─┐█/4"},
		{"an emoji", "\U0001F600.", "\U0001F600/2! ./1"},
		{"hidden", "\x1b[8mpassword\x1b[m", "        /8"},
		{"a bidirectional control", "a\u202eb", "a\u202e/1! b/1"},
		{"nothing", "", ""},
	} {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 2, Cols: 20}})
		if _, err := term.Write([]byte(tt.bytes)); err != nil {
			t.Fatal(err)
		}
		snap := term.Snapshot(0)
		var got []string
		for _, s := range Spans(snap.Screen[0], snap.Size.Cols) {
			loose := ""
			if s.Alone {
				loose = "!"
			}
			got = append(got, s.Text+"/"+string(rune('0'+s.Cols))+loose)
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, g, tt.want)
		}
	}
}

// TestSpanLinks checks that link targets that a browser could run are left out.
func TestSpanLinks(t *testing.T) {
	for uri, want := range map[string]string{
		"https://example.com/a": "https://example.com/a",
		"javascript:alert(1)":   "",
		"data:text/html,x":      "",
		"file:///etc/passwd":    "",
	} {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 1, Cols: 20}})
		if _, err := term.Write([]byte("\x1b]8;;" + uri + "\x1b\\x\x1b]8;;\x1b\\")); err != nil {
			t.Fatal(err)
		}
		spans := Spans(term.Snapshot(0).Screen[0], 20)
		if len(spans) != 1 || spans[0].Style.Link != want {
			t.Errorf("link %s: got spans %+v", uri, spans)
		}
	}
}
