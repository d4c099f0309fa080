package guard

import (
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/danger"
)

// TestRemembered checks that what earlier lines have set is known when the last line is judged.
func TestRemembered(t *testing.T) {
	checker, err := danger.New(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range [][]string{
		{"a=(rm -rf /)", `"${a[@]}"`},
		{"x='rm -rf /'", "$x"},
		{"echo a", "history -s echo b", "!!"},
		{"echo a", "history -r /tmp/x", "!!"},
		{"echo a", "fc -R /tmp/x", "!!"},
	} {
		look := View{Line: Line{Known: true}, Program: bash}
		var d Decision
		for i, line := range lines {
			d = Check(checker, look, keys(line+"\r"), false)
			if i < len(lines)-1 && d.Held() {
				t.Errorf("%q is held: %v", line, d.Findings)
			}
			look.Line, look.Past = d.Line, d.Past
		}
		if !d.Held() {
			t.Errorf("%q: the last is not held", lines)
		}
	}
}

// TestPlain checks that different spellings of a text give the same plain text.
func TestPlain(t *testing.T) {
	for _, text := range []string{"rm -rf /x/", "rm -rf //x", "rm  -rf '/x'/.", "RM -rf /y/../x", `\rm -rf "/x";`} {
		if got := normalized(text); got != "rm -rf /x" {
			t.Errorf("%q is %q", text, got)
		}
	}
	if normalized("rm -rf /x") == normalized("rm -rf /x/y") || normalized("curl https://a//b") != "curl https://a//b" {
		t.Error("different texts have the same plain text")
	}
}
