package redact

import (
	"strings"
	"testing"
)

// TestTyped checks which secrets are learned from typed text.
func TestTyped(t *testing.T) {
	for _, tt := range []struct {
		typed  []string
		shown  string
		hidden bool
	}{
		{[]string{"horse", "staple\r"}, "horsestaple", true},
		{[]string{"horsez\x7fs", "\n"}, "horses", true},
		{[]string{"wrong\x15horse\r"}, "wronghorse", false},
		{[]string{"horseé\x7f\r"}, "horse", true},
		{[]string{"horse"}, "horse", false},
		{[]string{"abc\r"}, "abc", false},
		{[]string{strings.Repeat("x", 5000) + "\r"}, "xxxxx", false},
	} {
		r := New()
		var s TypedSecret
		for _, part := range tt.typed {
			s.Add(r.Learn, []byte(part))
		}
		text := "a " + tt.shown + " b"
		got := Replace(text, r.Spans(text), func(secret string) string { return strings.Repeat("*", len(secret)) })
		if want := "a " + strings.Repeat("*", len(tt.shown)) + " b"; (got == want) != tt.hidden {
			t.Errorf("%q typed: %q is shown in %q", tt.typed, tt.shown, got)
		}
		if cap(s.text) > 2*maxTyped {
			t.Errorf("%q typed: %d bytes kept", tt.typed, cap(s.text))
		}
	}
}
