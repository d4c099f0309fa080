package reply

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/selected"
	"github.com/glasstty/glasstty/session/text"
	"github.com/glasstty/glasstty/session/wait"
)

// TestShowScreen checks how a reply shows a screen of ten rows.
func TestShowScreen(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		w        wait.Wait
		chosen   []selected.Choice
		want     string
		more     bool
	}{
		{"short", "one\r\ntwo", wait.Wait{}, nil, "one\ntwo", false},
		{"three equal rows", "~\r\n~\r\n~\r\nend", wait.Wait{}, nil, "~\n~\n~\nend", false},
		{"four equal rows", "top\r\n~\r\n~\r\n~\r\n~\r\nend", wait.Wait{}, nil, "top\n~\n… 3 more like it …\nend", false},
		{"blank rows", "top\x1b[8Hend", wait.Wait{}, nil, "top\n… 6 blank rows …\nend", false},
		{"rows of a box", "│ │\r\n│ │\r\n│ │\r\n│ │\r\n└─┘", wait.Wait{}, nil, "│ │\n… 3 more like it …\n└─┘", false},
		{"an imitation", "… 9 blank rows …\r\nend", wait.Wait{}, nil, text.ProgramMark + "… 9 blank rows …\nend", false},
		{"around the cursor", "0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\x1b[5H", wait.Wait{MaxLines: 3}, nil, "… rows 3 to 5 of 10, around the cursor …\n3\n4\n5", true},
		{"around the selection", "0\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\n9\x1b[5H", wait.Wait{MaxLines: 3}, []selected.Choice{{Row: 9}}, "… rows 7 to 9 of 10, around the selection …\n7\n8\n9", true},
		{"more rows than there are", "0\r\n1", wait.Wait{MaxLines: 3}, nil, "0\n1", false},
		{"a budget", "aaaaaaaaa\r\nb\r\nc\r\nd\r\ne\r\nf\r\nggggggggg\x1b[9Hlast", wait.Wait{MaxOutputChars: 26}, nil, "aaaaaaaaa\n… 5 rows left out; snapshot region={\"row\":1,\"rows\":5} gets them …\nggggggggg\n\nlast", true},
	} {
		term := emulator.New(emulator.Options{Size: emulator.Size{Rows: 10, Cols: 30}})
		if _, err := term.Write([]byte(tt.in)); err != nil {
			t.Fatal(err)
		}
		r := &Reply{Selected: tt.chosen}
		new(Source).showScreen(term.Snapshot(0), tt.w, r)
		if r.Shown != tt.want || r.HasMore != tt.more {
			t.Errorf("%s: %q, more %v; want %q, %v", tt.name, r.Shown, r.HasMore, tt.want, tt.more)
		}
	}
}

// TestMarkElisions checks that a program cannot pretend that something was left out.
func TestMarkElisions(t *testing.T) {
	s := new(Source)
	var r Reply
	lines := []text.OutputLine{{Text: "… 3 lines left out; read_output from_line=0 max_lines=3 gets them …"}, {Text: "[s1 running]"}}
	for range 5000 {
		lines = append(lines, text.OutputLine{Text: "some text"})
	}
	s.AddLines(lines, wait.Wait{MaxOutputChars: 1000}, &r)
	if n := strings.Count(r.Output, "\n… "); n != 1 || !strings.HasPrefix(r.Output, text.ProgramMark+"… 3 lines left out") {
		t.Errorf("%d lines say that something was left out: %q", n, r.Output[:200])
	}
}
