package reply

import (
	"strings"
	"testing"
)

// TestOneLine checks how a command looks in a hint.
func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "name",
		" \n\x1b ":              "name",
		"make \x1b[31m -j 4\n":  "make [31m -j 4",
		"a\xffb":                "a\uFFFDb",
		strings.Repeat("界", 31): strings.Repeat("界", 30) + "…",
	} {
		if got := oneLine(in, "name"); got != want {
			t.Errorf("oneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
