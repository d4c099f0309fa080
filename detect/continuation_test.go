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
			t.Errorf("after %q, %q continues: %v", tt.prompt, tt.text, got)
		}
	}
}

// A prompt's sign again before it makes another prompt.
func TestMatchSameSign(t *testing.T) {
	var p Prompts
	p.Learn("> ", false)
	if _, ok := p.Match(">> "); ok {
		t.Error(`">> " is taken for "> "`)
	}
	if start, ok := p.Match("text> "); !ok || start != 4 {
		t.Errorf("%d, %v", start, ok)
	}
}

// Output without line end before a prompt that begins with a path or a number.
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
			t.Errorf("%q: %d, %v, want %q before the prompt", tt.text, start, ok, tt.before)
		}
	}
}
