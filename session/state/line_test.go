package state

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestLineOfFullScreen checks the line at the cursor of a full screen, where the prompt before it
// is not known.
func TestLineOfFullScreen(t *testing.T) {
	for row, want := range map[string]string{
		"$ rm -rf x > y":                  "rm -rf x > y",
		"ann@host:~/x# rm -rf x # y":      "rm -rf x # y",
		"~/a $ ":                          "",
		"php > ^Dann@host:~/x# ":          "",
		"php > ^Dann@host:~/x# rm -rf x":  "rm -rf x",
		"❯ echo 50% $x":                   "echo 50% $x",
		"sql>drop table x":                "drop table x",
		`!rm -rf "$HOME" # a`:             `!rm -rf "$HOME" # a`,
		":!rm -rf x > y":                  ":!rm -rf x > y",
		"$ rm -rf ":                       "rm -rf ",
		":!rm -rf ":                       ":!rm -rf ",
		"text":                            "text",
		"[0] 0:bash*            \"a\"   ": "[0] 0:bash*            \"a\"   ",
	} {
		s := New(Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 4, Cols: 60}}})
		_, _ = s.Term.Write([]byte("\x1b[?1049h" + row))
		if got := s.EditedLine(emulator.Position{}, false); string(got.Text) != want || got.Cursor != len(got.Text) {
			t.Errorf("%q: %q with the cursor at %d, want %q", row, string(got.Text), got.Cursor, want)
		}
		_, _ = s.Term.Write([]byte("\b"))
		if got := s.EditedLine(emulator.Position{}, false); got.Cursor != max(len(want)-1, 0) && want == strings.TrimRight(want, " ") {
			t.Errorf("%q: the cursor is at %d after ctrl+h", row, got.Cursor)
		}
	}
}
