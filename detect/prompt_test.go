package detect

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPromptsMatch(t *testing.T) {
	tests := []struct {
		name, learned, text string
		start               int // -1: no match
	}{
		{"itself", ">>> ", ">>> ", 0},
		{"after unterminated output", "$ ", "abc$ ", 3},
		{"counter", "In [1]: ", "In [12]: ", 0},
		{"path", "root@host:/srv/main# ", "root@host:~# ", 0},
		{"path with blanks around", "me ~/src > ", "me /tmp/x > ", 0},
		{"clock", "[10:02:59] $ ", "[9:1:00] $ ", 0},
		{"other host", "root@a:/# ", "root@b:/# ", -1},
		{"blank is missing", ">>> ", ">>>", -1},
		{"more after it", ">>> ", ">>> x", -1},
		{"nothing there", ">>> ", "", -1},
		{"irb", "irb(main):001:0> ", "irb(main):002:0> ", 0},
	}
	for _, tt := range tests {
		var p Prompts
		p.Learn(tt.learned, false)
		start, ok := p.Match(tt.text)
		if ok != (tt.start >= 0) || ok && start != tt.start {
			t.Errorf("%s: learned %q: Match(%q) = %d, %v; want %d", tt.name, tt.learned, tt.text, start, ok, tt.start)
		}
	}
}

func TestPromptsPrefix(t *testing.T) {
	var p Prompts
	p.Learn("root@host:/work# ", false)
	p.Learn(">>> ", false)
	for line, want := range map[string]string{
		"root@host:~/src# ls -l": "root@host:~/src# ",
		">>> 1+1":                ">>> ",
		">>> ":                   ">>> ",
		"plain output":           "",
		"":                       "",
	} {
		if n := p.Prefix(line); line[:n] != want {
			t.Errorf("Prefix(%q) = %q, want %q", line, line[:n], want)
		}
	}
}

func TestPromptsDrawn(t *testing.T) {
	var p Prompts
	p.Learn("> ", true)
	p.Learn("[1] both> ", true)
	p.Learn("[2] both> ", false)
	p.Learn("plain> ", false)
	p.Learn("plain> ", true)
	for text, want := range map[string]bool{
		"> ": true, "abc> ": true, "[7] both> ": false, "plain> ": false, "none": false, "": false,
	} {
		if got := p.Drawn(text); got != want {
			t.Errorf("Drawn(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestPromptsForget(t *testing.T) {
	var p Prompts
	p.Learn("  ", false)
	if len(p.Shapes) != 0 {
		t.Error("a blank prompt was learned")
	}
	p.Learn("first> ", false)
	for i := range maxPrompts {
		p.Learn(strings.Repeat("x", i+1)+"> ", false)
		p.Learn("kept> ", false)
	}
	if len(p.Shapes) != maxPrompts {
		t.Errorf("got %d prompts, want %d", len(p.Shapes), maxPrompts)
	}
	if _, ok := p.Match("first> "); ok {
		t.Error("the oldest prompt was not forgotten")
	}
	if _, ok := p.Match("kept> "); !ok {
		t.Error("a prompt that was seen repeatedly was forgotten")
	}
}

// TestPromptsLong checks that of a very long prompt, the last MaxPromptText
// bytes are learned and matched, even if the cut falls into a character.
func TestPromptsLong(t *testing.T) {
	var p Prompts
	long := strings.Repeat("日本", 2000) + "$ "
	p.Learn(long, false)
	start, ok := p.Match(long)
	if !ok || len(long)-start > MaxPromptText {
		t.Errorf("Match of a prompt of %d bytes = %d, %v", len(long), start, ok)
	}
}

// TestPromptsAny checks that a learned prompt is matched at its beginning, and
// that no text causes a panic.
func TestPromptsAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Prompts
		prompt := rapid.String().Draw(t, "prompt")
		p.Learn(prompt, false)
		start, ok := p.Match(prompt)
		if !ok && strings.TrimSpace(prompt) != "" {
			t.Fatalf("Match(%q) failed after Learn", prompt)
		}
		if ok && len(prompt) <= MaxPromptText && start != 0 {
			t.Fatalf("Match(%q) = %d, want 0", prompt, start)
		}
		line := rapid.String().Draw(t, "line")
		if n := p.Prefix(line); n < 0 || n > len(line) {
			t.Fatalf("Prefix(%q) = %d, out of range", line, n)
		}
		if n, ok := p.Match(line); ok && (n < 0 || n > len(line)) {
			t.Fatalf("Match(%q) = %d, out of range", line, n)
		}
	})
}

func TestLooksLikePrompt(t *testing.T) {
	for text, want := range map[string]bool{
		"$ ": true, "# ": true, ">>> ": true, "root@h:/# ": true, "host% ": true, "❯ ": true,
		"(gdb) ": true, "(Pdb) ": true, "In [3]: ": true, "sqlite> ": true, "ftp>": true, "> ": true,
		"irb(main):001:0> ": true, "$": true, "❯": true, "PS C:\\> ": true,
		"": false, "Name: ": false, "Go on? [Y/n] ": false, "50% ": false, "==> ": false, "--> ": false,
		"done": false, "total 4 (kB) ": false, "price $": false, "$    ": false, "   ": false,
	} {
		if got := LooksLikePrompt(text); got != want {
			t.Errorf("LooksLikePrompt(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAsksSecret(t *testing.T) {
	for text, want := range map[string]bool{
		"Password: ": true, "root@host's password: ": true, "Enter passphrase for key '/x':": true,
		"[sudo] password for me: ": true, "Verification code: ": true,
		"Name: ": false, "password changed": false, "": false, "Reset password? (y/n) ": false,
	} {
		if got := AsksSecret(text); got != want {
			t.Errorf("AsksSecret(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestAsksYesNo(t *testing.T) {
	for text, want := range map[string]bool{
		"Go on? [Y/n] ": true, "Go on? [y/N]": true, "Overwrite (y/n)? ": true, "Remove it (yes/no): ": true,
		"Are you sure you want to continue connecting (yes/no/[fingerprint])? ": true, "Apply [y/n/q/?]? ": true,
		"Reject [n/y] ": true, "Quit anyway? (y or n) ": true, "Make it pending? (y or [n]) ": true, "Go on [y|n]? ": true,
		"Stage this hunk [y,n,q,a,d,e,?]? ": true, "Go on (yes or no)? ": true, "call f(y or m)": false, "(y, x) ": false, "": false, "[Y/n] y": false, "[1/n] ": false, "building (yes) ": false,
		"progress [10/20] ": false, "checking for x ... ": false, "name: ": false, "(y) ": false, "]": false, "[": false, "()": false,
		strings.Repeat("x", maxPromptShape) + "[y/n] ": false,
	} {
		if got := AsksYesNo(text); got != want {
			t.Errorf("AsksYesNo(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSamePrompt(t *testing.T) {
	for _, tt := range []struct {
		before, text string
		want         bool
	}{
		{"?- ", "?- ", true}, {"; ", "; ", true}, {"[1] ?- ", "[12] ?- ", true}, {"~/a ; ", "~ ; ", true},
		{"", "", false}, {"  ", "  ", false}, {"?- ", "?-", false}, {"?- ", "|: ", false}, {"Name: ", "Name: ", false},
		{"Name? ", "Name? ", false}, {"Go on [y/n] ", "Go on [y/n] ", false}, {"password: ", "password: ", false},
		{strings.Repeat("x", MaxPromptText+1), strings.Repeat("x", MaxPromptText+1), false},
	} {
		if got := SamePrompt(tt.before, tt.text); got != tt.want {
			t.Errorf("SamePrompt(%q, %q) = %v, want %v", tt.before, tt.text, got, tt.want)
		}
	}
}

func TestAsksMore(t *testing.T) {
	for text, want := range map[string]bool{
		"--More--": true, "--More--(42%)": true, "-- More -- ": true,
		"--Type <RET> for more, q to quit, c to continue without paging--": true,
		"Press ENTER or type command to continue":                          true, "Press any key to continue . . . ": true, "press on": false,
		"": false, "--": false, "more": false, "--more": false, "--help--": false, "a --More--": false, "(42%)": false,
	} {
		if got := AsksMore(text); got != want {
			t.Errorf("AsksMore(%q) = %v, want %v", text, got, want)
		}
	}
}
