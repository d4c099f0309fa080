package detect

import "testing"

func TestContinues(t *testing.T) {
	for _, tt := range []struct {
		prompt, text string
		want         bool
	}{
		{"ghci> ", "ghci| ", true},
		{"irb(main):001:0> ", "irb(main):002:1*   ", true},
		{"db=# ", "db-# ", true},
		{"db=> ", "db(> ", true},
		{">>> ", "... ", true},
		{"In [1]: ", "   ...: ", true},
		{"jshell> ", "   ...> ", true},
		{"mysql> ", "    -> ", true},
		{"> ", "| ", true},
		{">>> ", "Loading... ", false},
		{">>> ", "...and more", false},
		{"ghci> ", "ghci", false},
		{"ghci> ", "other| ", false},
		{"$ ", "12 ", false},
		{"", "... ", false},
	} {
		var p Prompts
		p.Learn(tt.prompt, false)
		if got := p.Continues(tt.text); got != tt.want {
			t.Errorf("after prompt %q: Continues(%q) = %v", tt.prompt, tt.text, got)
		}
	}
}

// TestMatchSameSign checks that a repeated prompt sign, as in ">> ", is not
// matched as the prompt "> " after other output.
func TestMatchSameSign(t *testing.T) {
	var p Prompts
	p.Learn("> ", false)
	if _, ok := p.Match(">> "); ok {
		t.Error(`Match(">> ") matched the prompt "> "`)
	}
	if start, ok := p.Match("text> "); !ok || start != 4 {
		t.Errorf("Match(\"text> \") = %d, %v; want 4, true", start, ok)
	}
}

// TestMatchBehindOutput checks prompts that begin with a path or a number and
// follow output without a line end.
func TestMatchBehindOutput(t *testing.T) {
	for _, tt := range []struct{ prompt, text, before string }{
		{"/tmp/x # ", "nonl/tmp/x # ", "nonl"},
		{"/tmp/x # ", "/var/log/tmp/x # ", "/var/log"},
		{"12:30 $ ", "4212:30 $ ", "42"},
		{"/tmp/x # ", "/tmp/y # ", ""},
		{"12:30 $ ", "13:05 $ ", ""},
	} {
		var p Prompts
		p.Learn("# ", false)
		p.Learn(tt.prompt, false)
		if start, ok := p.Match(tt.text); !ok || tt.text[:start] != tt.before {
			t.Errorf("Match(%q) = %d, %v; want a prompt after %q", tt.text, start, ok, tt.before)
		}
	}
}
