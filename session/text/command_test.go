package text

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
)

// TestCommandIn checks that commands are found in the rows of a screen, among text that others have
// written. It compares the part of each row that is not the command.
func TestCommandIn(t *testing.T) {
	for _, tt := range []struct {
		rows, command, others string
		ok                    bool
	}{
		{"echo hi", "echo hi", "", true},
		{"echo  hi\n", "echo hi", "\n", true},
		{"job\necho hi", "echo hi", "job\n", true},
		{"echo hijob", "echo hi", "job", true},
		{"echo hjob\n       i", "echo hi", "job\n", true},
		{"echo hi\njob 1\njob 2", "echo hi", "\njob 1\njob 2", true},
		{"e1\necho hi", "echo hi", "e1\n", true},
		{"for x in a b\n> do echo $x\n> done", "for x in a b; do echo $x; done", "\n\n", true},
		{"for x in a b\njob\ndo echo $x\ndone", "for x in a b\ndo echo $x\ndone", "\njob\n\n", true},
		{"job\necho    echo hi", "echo hi", "job\n", true}, // fish
		{"!!", "echo hi", "", false},
		{"日本", "日本", "", true},
		{"", "", "", true},
		{strings.Repeat("e\n", 200), strings.Repeat("ex", 100), "", false},
	} {
		var lines []emulator.Line
		for i, row := range strings.Split(tt.rows, "\n") {
			lines = append(lines, emulator.Line{Number: int64(i), Text: row})
		}
		lines[0].Text = "$ " + lines[0].Text
		spans, ok := CommandIn(lines, 2, tt.command)
		if ok != tt.ok {
			t.Errorf("%q in %q: %v", tt.command, tt.rows, ok)
		}
		if !ok {
			continue
		}
		others := make([]string, len(lines))
		for i, l := range lines {
			var in []Span
			for _, sp := range spans {
				if sp.Line == l.Number {
					in = append(in, sp)
				}
			}
			others[i], _ = Strip(l.Text, in)
			if i == 0 {
				others[i] = strings.TrimPrefix(strings.TrimPrefix(others[i], "$"), " ")
			}
		}
		if got := strings.Join(others, "\n"); got != tt.others {
			t.Errorf("%q in %q: others %q, want %q", tt.command, tt.rows, got, tt.others)
		}
	}
}
