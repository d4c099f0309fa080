package shellmarks

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/glasstty/glasstty/internal/need"
)

// TestMarks checks each mark around commands in real shells, and that nothing else differs from the
// shell without marks.
func TestMarks(t *testing.T) {
	t.Parallel()
	bashRC := "PS1='one\\n\\u two$ '; PROMPT_COMMAND='last=$?'; trap ': debug' USR1; set -o vi\n"
	tests := []struct {
		name string
		argv string
		env  []string
		home files
		wait string // marks of the start
	}{
		{"bash", "bash", nil, files{".bashrc": bashRC}, "D0 ~ A B"},
		{"bash interactive", "bash -i", nil, files{".bashrc": "PS1='rc$ '\n"}, "D0 ~ A B"},
		{"bash login", "bash -l", nil, files{".bash_profile": "PS1='profile$ '\n"}, "D0 ~ A B"},
		{"bash norc", "bash --norc", []string{"PS1=env$ "}, files{".bashrc": "PS1='rc$ '\n"}, "D0 ~ A B"},
		{"bash posix", "bash --posix", []string{"PS1=env$ "}, files{".bashrc": "PS1='rc$ '\n"}, "D0 ~ A B"},
		{"bash rcfile", "bash --rcfile other", nil, files{"other": "PS1='other$ '\n"}, "D0 ~ A B"},
		{"bash prompt command", "bash --norc", []string{"PS1=env$ ", "PROMPT_COMMAND=echo hook $?"}, nil, "D0 ~ A B"},
		{"zsh", "zsh", nil, files{".zshrc": "PS1='one\n%n two%# '; RPS1='right %?'\n"}, "D0 ~ A B"},
		{"zsh login", "zsh -l", nil, files{".zprofile": "x=profile", ".zshrc": "PS1='$x %1~ %# '; setopt prompt_subst\n"}, "D0 ~ A B"},
		{"fish", "fish", nil, files{".config/fish/config.fish": "set -g fish_greeting\nfunction fish_prompt; echo one $status; echo two\\> ; end; function fish_right_prompt; echo right; end\n"}, "D0 ~ A B"},
		{"dash", "dash", []string{"ENV=$HOME/.shinit"}, files{".shinit": "PS1='env $(echo two)> '\n"}, "D0 A B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			argv := strings.Fields(tt.argv)
			need.Program(t, argv[0])
			dir := home(t, tt.home)
			without := start(t, false, dir, tt.env, argv...)
			with := start(t, true, dir, tt.env, argv...)
			check := func(what, got, want string) {
				t.Helper()
				got = strings.ReplaceAll(got, "~"+filepath.Base(dir), "~")
				if got != want {
					t.Errorf("%s: marks %q, want %q", what, got, want)
				}
			}
			check("start", with.marks(with.output()), tt.wait)
			if got, want := plain(with.output()), without.output(); got != want {
				t.Errorf("start shows %q, want %q", got, want)
			}
			for _, c := range []struct{ line, want string }{
				{"echo out; sh -c 'exit 3'", "3"},
				{"echo one; echo two", "0"},
				{"false", "1"},
				{"printf '%s;' 'a%b' 'é'", "0"},
				{"", "0"},
			} {
				got, want := with.run(c.line), without.run(c.line)
				if plain(got) != plain(want) {
					t.Errorf("%s shows %q, want %q", c.line, plain(got), want)
				}
				if tt.name == "dash" || c.line == "" {
					check(c.line, strings.ReplaceAll(with.marks(got), "~"+filepath.Base(dir)+" ", ""), "D"+c.want+" A B")
					continue
				}
				check(c.line, with.marks(got), "C("+c.line+") D"+c.want+" ~ A B")
			}
		})
	}
}
