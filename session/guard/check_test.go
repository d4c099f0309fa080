package guard

import (
	"slices"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/danger"
)

// keys yields the strokes of a text: \r submits, ^ recalls, ~ is ctrl+u.
func keys(text string) Strokes {
	return func(yield func(Stroke) bool) {
		for i, r := range text {
			s := Stroke{Does: Inserts, Rune: r, Item: -1, At: i + 1}
			switch r {
			case '\r':
				s.Does = Submits
			case '^':
				s.Does = Unforeseen
			case '~':
				s.Does = KillsStart
			}
			if !yield(s) {
				return
			}
		}
	}
}

// checker holds what names forbidden things.
func checker(t testing.TB) *danger.Checker {
	t.Helper()
	rules, err := danger.ParseRules(strings.NewReader("deny word /forbidden/ names what is forbidden"))
	if err != nil {
		t.Fatal(err)
	}
	return danger.New(rules)
}

var bash = Front{Name: "bash", Dir: "/work", Home: "/home/u"}.Program()

func TestCheck(t *testing.T) {
	sure := Line{Sure: true}
	for _, tt := range []struct {
		name, in string
		look     Look
		held     bool
		want     string // what is submitted
		left     string // the line afterwards
		cut      int    // in the text, -1 for nowhere
		unread   bool
	}{
		{name: "a line", in: "echo a\r", look: Look{Line: sure}, want: "echo a", cut: -1},
		{name: "half a line", in: "echo a", look: Look{Line: sure}, left: "echo a", cut: -1},
		{name: "the rest of one", in: "den\r", look: Look{Line: Line{Sure: true, Open: true, Text: Text("echo forbid"), Cursor: 11}}, held: true, want: "echo forbidden", cut: -1},
		{name: "two lines", in: "a\rforbidden\rc", look: Look{Line: sure}, held: true, want: "a\nforbidden", left: "c", cut: -1},
		{name: "one that is taken away", in: "forbidden~echo\r", look: Look{Line: sure}, want: "echo", cut: -1},
		{name: "a recalled one", in: "a\r^\rb", look: Look{Line: sure}, want: "a", cut: 3},
		{name: "one that is not known", in: "x\r", look: Look{Line: Line{Open: true}}, unread: true, cut: -1},
		{name: "a key for one that is not known", in: "x", look: Look{Line: Line{Open: true, Text: Text("a"), Cursor: 1}}, left: "ax", cut: -1},
		{name: "the end of an open quote", in: "den'\r", look: Look{Line: sure, Past: Past{Script: "echo 'forbid\\"}}, held: true, want: "den'", cut: -1},
	} {
		tt.look.Program = bash
		d := Check(checker(t), tt.look, keys(tt.in), false)
		cut := -1
		if d.Cut != nil {
			cut = d.Cut.From
		}
		if d.Held() != tt.held || d.Submitted != tt.want || string(d.Line.Text) != tt.left && cut < 0 || cut != tt.cut || d.Unread != tt.unread {
			t.Errorf("%s: %+v, cut %d", tt.name, d, cut)
		}
		if allowed := Check(checker(t), tt.look, keys(tt.in), true); allowed.Held() {
			t.Errorf("%s: held although it is allowed", tt.name)
		}
	}
}

// TestPastIsNotShared checks that a decision which is dropped leaves nothing behind.
func TestPastIsNotShared(t *testing.T) {
	look := Look{Line: Line{Sure: true}, Program: bash}
	look.Past.Vars = make([]string, 1, 10)
	a := Check(checker(t), look, keys("X=1\r"), false)
	b := Check(checker(t), look, keys("Y=2\r"), false)
	if !slices.Equal(a.Past.Vars, []string{"", "X=1"}) || !slices.Equal(b.Past.Vars, []string{"", "Y=2"}) {
		t.Errorf("%+v and %+v", a.Past, b.Past)
	}
}

// TestRefusedAgain types what a person has refused in other ways, and what is not that.
func TestRefusedAgain(t *testing.T) {
	for _, tt := range []struct {
		refused string
		same    []string
		other   []string
	}{
		{"rm -rf build", []string{
			"rm -rf build", "rm  -rf  build", `rm -rf "build"`, `rm -rf 'build'`, `\rm -rf bui\ld`, "rm -rf build;", " rm -rf build ", "(rm -rf build)",
			"true; rm -rf build", "cd /\rrm -rf build", "ls && rm -rf build || true", "bash -c 'rm -rf build'", "rm -rf \\\rbuild",
		}, []string{"rm -rf builds", "echo build", "ls", "rm -rf /home"}},
		{"cd /\rrm -rf build", []string{"rm -rf build", "cd /\rrm -rf build"}, []string{"cd /"}},
		{"curl http://a/x | sh", []string{"curl http://a/x | sh", "curl 'http://a/x' |  sh", "true\rcurl http://a/x | sh"}, []string{"curl http://b/x | sh", "sh", "curl http://a/x"}},
		{"rm -rf /etc/x", []string{"rm -r -f /etc/x", "X=/etc/x; rm -rf $X", "for i in 1; do rm -rf /etc/x; done"}, []string{"ls /etc/x"}},
		{"echo forbidden", []string{"echo 'forbidden'", "true; echo forbidden"}, []string{"echo forbidden two"}},
	} {
		c, here := checker(t), bash
		here.Place.Dir = "/"
		first := Check(c, Look{Line: Line{Sure: true}, Program: here}, keys(tt.refused+"\r"), false)
		if len(first.Findings) == 0 {
			t.Errorf("%q is not held", tt.refused)
		}
		look := Look{Line: Line{Sure: true}, Program: here, Refused: []Refusal{{By: "Ann", Marks: first.Marks}}}
		for _, same := range tt.same {
			if d := Check(c, look, keys(same+"\r"), false); d.Refused == nil || d.Refused.By != "Ann" || !d.Held() {
				t.Errorf("%q refused: %q is not known again by %q; refused were %q", tt.refused, same, d.Marks, first.Marks)
			}
		}
		for _, other := range tt.other {
			if d := Check(c, look, keys(other+"\r"), false); d.Refused != nil {
				t.Errorf("%q refused: %q is taken for it", tt.refused, other)
			}
		}
		// Where it is harmless it needs a person all the same.
		look.Program.Place.Dir = "/home/u/project"
		if d := Check(c, look, keys(tt.refused+"\r"), false); d.Refused == nil {
			t.Errorf("%q refused: in another directory it is not known again", tt.refused)
		}
	}
}

func TestClears(t *testing.T) {
	line := Line{Sure: true, Open: true, Text: Text("half"), Cursor: 4}
	for in, want := range map[string]bool{"~echo\r": true, "echo\r": false, "\r": false, "^~": false, "": false} {
		if got := line.Clears(keys(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
	if !line.Clears(slices.Values([]Stroke{{Does: Abandons}})) || !line.Clears(slices.Values([]Stroke{{Does: GoesHome}, {Does: KillsEnd}})) {
		t.Error("ctrl+c, or ctrl+a and ctrl+k, do not clear the line")
	}
}

func TestLongLine(t *testing.T) {
	line := Line{Sure: true}.After(keys(strings.Repeat("x", 2*maxLine)))
	if len(line.Text) > maxLine+1 || line.Sure {
		t.Errorf("%d characters are kept, sure %v", len(line.Text), line.Sure)
	}
	if line = line.After(keys("\r")); line.Open || len(line.Text) > 0 {
		t.Errorf("after Enter: %+v", line)
	}
}

// TestAgain presses Enter where that repeats the last line, and where it does not.
func TestAgain(t *testing.T) {
	c := checker(t)
	for name, held := range map[string]bool{"gdb": true, "bash": false} {
		look := Look{Line: Line{Sure: true}, Program: Front{Name: name}.Program()}
		first := Check(c, look, keys("shell forbidden\r"), true)
		look.Line, look.Past = first.Line, first.Past
		d := Check(c, look, keys("\r"), false)
		if d.Held() != held || held && d.Submitted != "shell forbidden" {
			t.Errorf("%s: %+v", name, d)
		}
		look.Past = Check(c, look, keys("echo a\r"), false).Past
		if d := Check(c, look, keys("\r"), false); d.Held() {
			t.Errorf("%s, after another line: %+v", name, d)
		}
	}
}

// TestVariablesOfEarlierLines sets a variable in one line that is a command in the next.
func TestVariablesOfEarlierLines(t *testing.T) {
	for set, use := range map[string]string{"R=rm": "$R -rf /etc/x", "set R rm": "$R -rf /etc/x"} {
		c, look := checker(t), Look{Line: Line{Sure: true}, Program: Front{Name: "fish", Dir: "/work"}.Program()}
		first := Check(c, look, keys(set+"\r"), false)
		look.Past = first.Past
		if d := Check(c, look, keys(use+"\r"), false); first.Held() || !d.Held() {
			t.Errorf("%s, then %s: %v, %v", set, use, first.Findings, d.Findings)
		}
	}
}
