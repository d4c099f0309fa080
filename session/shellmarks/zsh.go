package shellmarks

import (
	"strings"

	"github.com/glasstty/glasstty/internal/environ"
)

// zshInteractive reports whether zsh reads commands from its terminal with these arguments
// (zshoptions(1)), and reads the file that adds the marks, which it does not with -f.
func zshInteractive(args []string) bool {
	for _, a := range args {
		if a == "--help" || a == "--version" || strings.EqualFold(a, "--no-rcs") || strings.EqualFold(a, "--norcs") {
			return false
		}
	}
	var short []string
	for _, a := range args {
		if !strings.HasPrefix(a, "--") || a == "--" {
			short = append(short, a)
		}
	}
	letters, ok := shortOptions(short)
	return ok && !strings.ContainsAny(letters, "cfr")
}

// prepareZsh makes zsh read its first startup file from our directory.
func prepareZsh(s *Setup) error {
	restore := "'builtin' 'unset' 'ZDOTDIR'"
	if user, ok := environ.Get(s.Env, "ZDOTDIR"); ok {
		restore = "'builtin' 'export' ZDOTDIR=" + quote(user)
	}
	_, err := s.write("zshenv.zsh", ".zshenv", "@RESTORE@", restore)
	s.Env = environ.With(s.Env, "ZDOTDIR", s.dir)
	return err
}
