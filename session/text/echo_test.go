package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
)

// TestEchoLimits checks that no more typed lines and places are remembered than may be.
func TestEchoLimits(t *testing.T) {
	var e Echoes
	e.Typed(&Typed{Text: strings.Repeat("x\n", 3*maxTypedLines), Prompt: -1})
	if len(e.Pending) != maxTypedLines {
		t.Errorf("%d typed lines kept, want %d", len(e.Pending), maxTypedLines)
	}
	term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 4, Cols: 20}})
	for i := range 3 * maxSpans {
		e.Mark(term, Span{Line: int64(i), To: 1})
	}
	if len(e.Spans) != maxSpans || e.Spans[maxSpans-1].Line != 3*maxSpans-1 {
		t.Errorf("%d spans kept, want the last %d", len(e.Spans), maxSpans)
	}
}

// TestMarkWhole checks that the remembered text of a long line ends with a whole character, so that
// it is the same after it was saved.
func TestMarkWhole(t *testing.T) {
	for cut := range 4 {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 4, Cols: 200}})
		_, _ = term.Write([]byte(strings.Repeat("x", cut) + strings.Repeat("─", maxSpanText)))
		var e Echoes
		e.Mark(term, Span{To: LineEnd})
		if got := e.Spans[0].Text; !utf8.ValidString(got) || len(got) < maxSpanText-utf8.UTFMax {
			t.Errorf("after %d bytes: %q", cut, got)
		}
	}
}

func TestStrip(t *testing.T) {
	for _, tt := range []struct {
		line  string
		spans []Span
		left  string
		gone  bool
	}{
		{"$ echo x", []Span{{To: LineEnd}}, "", true},
		{"abc$ echo x", []Span{{From: 3, To: LineEnd}}, "abc", false},
		{"Name? bob", []Span{{From: 6, To: 9}}, "Name?", false},
		{"日本 x", []Span{{From: 0, To: 4}}, " x", false},
		{"abcdef", []Span{{From: 4, To: 5}, {From: 0, To: 2}}, "cdf", false},
		{"abcdef", []Span{{From: 0, To: 4}, {From: 2, To: 3}}, "ef", false},
		{"", nil, "", false},
		{"", []Span{{To: LineEnd}}, "", true},
	} {
		left, gone := Strip(tt.line, tt.spans)
		if left != tt.left || gone != tt.gone {
			t.Errorf("strip(%q, %v) = %q, %v; want %q, %v", tt.line, tt.spans, left, gone, tt.left, tt.gone)
		}
	}
}

func TestCutEcho(t *testing.T) {
	for _, tt := range []struct {
		rest, text string
		n          int
		ok         bool
	}{
		{"ls -l", "ls -l", 5, true},
		{"ls", "ls  ", 2, true},
		{"ls   12:30", "ls", 2, true},
		{"^C", "\x03", 2, true},
		{"{ a;}", "{ a; }", 5, true},
		{"other", "ls", 0, false},
		{"", "ls", 0, false},
	} {
		if n, ok := cutEcho(tt.rest, tt.text); n != tt.n || ok != tt.ok {
			t.Errorf("cutEcho(%q, %q) = %d, %v; want %d, %v", tt.rest, tt.text, n, ok, tt.n, tt.ok)
		}
	}
}

func TestScrolled(t *testing.T) {
	const text = "echo a long line that does not fit; echo more of it"
	for line, want := range map[string]bool{
		"line that does not fit; echo more of it      <": true,
		"< line that does not fit; echo more of it":      true,
		"line that does not fit; echo more of it":        false, // output, for all we know
		"more of it <":                         false,
		"something else that is long enough <": false,
	} {
		if got := scrolled(line, text); got != want {
			t.Errorf("scrolled(%q) = %v, want %v", line, got, want)
		}
	}
}

func TestUpTo(t *testing.T) {
	for text, n := range map[string]int{"": 0, "abc": 3, "日本": 4, "a日b": 4, "b日": 3, "é": 1, strings.Repeat("x", 9000): 9000} {
		if got := UpTo(text, n+3); got != text+"   " {
			t.Errorf("upTo(%.20q, %d) = %q", text, n+3, got)
		}
	}
}

func TestContinuation(t *testing.T) {
	for text, want := range map[string]bool{
		"> ": true, "... ": true, "...": true, "quote> ": true, "   ...> ": true, "irb(main):002:0* ": true, "   ...: ": true, "foreach? ": true, "why not? ": false, "why?": false,
		"output": false, "": false, "* ": false, "a sentence that is far too long to be a continuation prompt > ": false,
	} {
		if got := isContinuation(text); got != want {
			t.Errorf("isContinuation(%q) = %v, want %v", text, got, want)
		}
	}
}
