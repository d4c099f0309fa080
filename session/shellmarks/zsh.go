package shellmarks

import (
	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/internal/shellquote"
)

// zshSyntax is the syntax of zsh's options (zshoptions(1)). With -f, zsh does not read the startup
// file that adds the marks.
var zshSyntax = syntax{
	unmarked: []string{"-c", "-r", "-f", "--no-rcs", "--norcs", "--help", "--version"},
	values:   shellValues,
	stdin:    "-s",
}

// prepareZsh makes zsh read its first startup file from the Setup's directory, which then restores ZDOTDIR.
func prepareZsh(s *Setup) error {
	restore := "'builtin' 'unset' 'ZDOTDIR'"
	if user, ok := environ.Get(s.Env, "ZDOTDIR"); ok {
		restore = "'builtin' 'export' ZDOTDIR=" + shellquote.Word(user)
	}
	_, err := s.write("zshenv.zsh", ".zshenv", "@RESTORE@", restore)
	s.Env = environ.With(s.Env, "ZDOTDIR", s.dir)
	return err
}
