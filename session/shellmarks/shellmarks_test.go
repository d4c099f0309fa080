package shellmarks

import (
	"slices"
	"strings"
	"testing"
)

// TestLeftAlone checks which command lines are prepared.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		line string
		want string
	}{
		{"bash", "bash"},
		{"/bin/bash", "bash"},
		{"bash -i", "bash"},
		{"bash -l", "bash"},
		{"bash --login -i", "bash"},
		{"bash --norc", "bash"},
		{"bash --rcfile other -i", "bash"},
		{"bash --rcfile", ""},
		{"bash -o vi", "bash"},
		{"bash +O extglob -i", "bash"},
		{"bash -s one two", "bash"},
		{"bash -c ls", ""},
		{"bash -lc ls", ""},
		{"bash --norc -c ls", ""},
		{"bash script", ""},
		{"bash -x script", ""},
		{"bash -o vi script", ""},
		{"bash -- script", ""},
		{"bash --version", ""},
		{"bash -r", ""},
		{"bash --restricted", ""},
		{"zsh", "zsh"},
		{"zsh -il", "zsh"},
		{"zsh --login", "zsh"},
		{"zsh -o vi", "zsh"},
		{"zsh -f", ""},
		{"zsh --no-rcs", ""},
		{"zsh -c ls", ""},
		{"zsh script", ""},
		{"fish", "fish"},
		{"fish -il", "fish"},
		{"fish -N", "fish"},
		{"fish -C ls", "fish"},
		{"fish --init-command ls", "fish"},
		{"fish -c ls", ""},
		{"fish --command=ls", ""},
		{"fish -n", ""},
		{"fish script", ""},
		{"dash", "sh"},
		{"dash -i", "sh"},
		{"dash -c ls", ""},
		{"dash script", ""},
		{"python3", "python"},
		{"python", "python"},
		{"python3.13 -q -i", "python"},
		{"python3 -X dev -W error", "python"},
		{"python3 -Xdev -Wignore", "python"},
		{"python3 script.py", ""},
		{"python3 -i script.py", ""},
		{"python3 -c pass", ""},
		{"python3 -qc pass", ""},
		{"python3 -m http.server", ""},
		{"python3 -I", ""},
		{"python3 --version", ""},
		{"python3 -", ""},
		{"ipython", ""},
		{"python2.7", ""},
		{"vim", ""},
	}
	for _, tt := range tests {
		argv := strings.Fields(tt.line)
		env := []string{"HOME=/nowhere", "PATH=/bin"}
		s, err := Prepare(argv[0], argv[1:], env, t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		if s.Shell != tt.want {
			t.Errorf("%s: prepared as %q, want %q", tt.line, s.Shell, tt.want)
		}
		changed := !slices.Equal(s.Args, argv[1:]) || !slices.Equal(s.Env, env)
		if changed != (tt.want != "") || (s.Nonce == "") != (tt.want == "") {
			t.Errorf("%s: args %q, env %q, nonce %q", tt.line, s.Args, s.Env, s.Nonce)
		}
	}
}

// TestNoDirectory checks that a shell starts unchanged where nothing can be written.
func TestNoDirectory(t *testing.T) {
	s, err := Prepare("bash", []string{"-i"}, nil, "/nonexistent", "")
	if err == nil || s.Shell != "" || !slices.Equal(s.Args, []string{"-i"}) {
		t.Errorf("setup %+v, error %v", s, err)
	}
}

// TestParseMark checks marks of ours, of other shells, and forged ones.
func TestParseMark(t *testing.T) {
	tests := []struct {
		letter byte
		params string
		want   Mark
	}{
		{'A', "nonce=n1", Mark{Trusted: true}},
		{'A', "", Mark{}},
		{'A', "cl=m;aid=3", Mark{}},
		{'A', "nonce=n2", Mark{}},
		{'A', "nonce=", Mark{}},
		{'B', "nonce=n1;weak=1", Mark{Trusted: true, Weak: true}},
		{'A', "k=s;nonce=n1", Mark{Trusted: true, Secondary: true}},
		{'D', "0;nonce=n1", Mark{Trusted: true, HasExit: true}},
		{'D', "130;nonce=n1", Mark{Trusted: true, HasExit: true, Exit: 130}},
		{'D', "", Mark{}},
		{'D', "x;nonce=n1", Mark{Trusted: true}},
		{'D', "99999999999999999999", Mark{}},
		{'C', "nonce=n1;cmdline_url=a%20b%3B%0A%25", Mark{Trusted: true, HasCommand: true, Command: "a b;\n%"}},
		{'C', "nonce=n1;cmdline_url=", Mark{Trusted: true, HasCommand: true}},
		{'C', "cmdline_url=%zz", Mark{}},
		{'B', "cmdline_url=x", Mark{}},
	}
	for _, tt := range tests {
		got := ParseMark(tt.letter, strings.Split(tt.params, ";"), "n1")
		if got != tt.want {
			t.Errorf("%c %q: %+v, want %+v", tt.letter, tt.params, got, tt.want)
		}
	}
	if ParseMark('A', []string{"nonce="}, "").Trusted {
		t.Error("a mark is trusted although there is no nonce")
	}
}

// TestParseCwd checks the forms of OSC 7.
func TestParseCwd(t *testing.T) {
	tests := []struct {
		text, host, path string
		ok               bool
	}{
		{"file://h/a/b", "h", "/a/b", true},
		{"file:///a", "", "/a", true},
		{"file://h/a%20b c%25é", "h", "/a b c%é", true},
		{"file://h", "", "", false},
		{"file://h/%00", "h", "/\x00", false},
		{"file://h/%z", "h", "", false},
		{"/a", "", "", false},
		{"", "", "", false},
	}
	for _, tt := range tests {
		host, path, ok := ParseCwd(tt.text)
		if host != tt.host || path != tt.path || ok != tt.ok {
			t.Errorf("%q: %q %q %v, want %q %q %v", tt.text, host, path, ok, tt.host, tt.path, tt.ok)
		}
	}
}
