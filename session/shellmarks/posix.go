package shellmarks

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/environ"
)

// bashValued are bash's long options that take a value; bashQuits those with which it reads
// no commands, or is restricted.
var (
	bashValued = []string{"--rcfile", "--init-file"}
	bashQuits  = []string{"--help", "--version", "--restricted", "--dump-strings", "--dump-po-strings", "--rpm-requires"}
)

// A bashLine is a parsed bash command line.
type bashLine struct {
	interactive bool
	login       bool
	posix       bool
	noRC        bool
	rc          string   // the file it reads instead of ~/.bashrc, if not empty
	rest        []string // the arguments without --norc, --rcfile and --init-file
}

// parseBash reads bash's arguments: long options first, then short ones, then a
// script (bash(1), "OPTIONS").
func parseBash(args []string) bashLine {
	l := bashLine{interactive: true}
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i], "--") && args[i] != "--"; i++ {
		switch a := args[i]; {
		case slices.Contains(bashQuits, a):
			return bashLine{}
		case slices.Contains(bashValued, a):
			if i+1 == len(args) {
				return bashLine{}
			}
			i++
			l.rc = args[i]
			continue
		case a == "--norc":
			l.noRC = true
			continue
		case a == "--posix":
			l.posix = true
		case a == "--login":
			l.login = true
		}
		l.rest = append(l.rest, args[i])
	}
	l.rest = append(l.rest, args[i:]...)
	flags, ok := shortOptions(args[i:])
	l.interactive = ok && !strings.ContainsAny(flags, "cr")
	l.login = l.login || strings.Contains(flags, "l")
	return l
}

// shortOptions returns the letters of a shell's short options, without those after "+". ok
// reports whether the shell reads commands from its terminal: a name after the options is
// that of a script, unless -s is among them.
func shortOptions(args []string) (letters string, ok bool) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "-" || a == "--" {
			return letters, i+1 == len(args) || strings.Contains(letters, "s")
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' || strings.HasPrefix(a, "--") {
			return letters, strings.Contains(letters, "s")
		}
		if a[0] == '-' {
			letters += a[1:]
		}
		if last := a[len(a)-1]; last == 'o' || last == 'O' {
			i++ // the option's name follows
		}
	}
	return letters, true
}

func bashInteractive(args []string) bool { return parseBash(args).interactive }

// prepareBash makes bash read a file that reads the user's and then the hook. With --norc,
// --posix and as a login shell, bash does not read such a file, or reads others too: then
// PROMPT_COMMAND runs the hook before the first prompt.
func prepareBash(s *Setup) error {
	l := parseBash(s.Args)
	boot, original := "", ""
	hook := filepath.Join(s.dir, "hook.bash")
	if l.login || l.posix || l.noRC {
		boot = ". " + quote(hook)
		original, _ = environ.Get(s.Env, "PROMPT_COMMAND")
		s.Env = environ.With(s.Env, "PROMPT_COMMAND", joinLines(original, boot))
	}
	if _, err := s.write("hook.bash", "hook.bash", "@BOOT@", quote(joinLines(original, boot)), "@ORIGINAL@", quote(original)); err != nil {
		return err
	}
	if boot != "" {
		return nil
	}
	rc := "~/.bashrc"
	if l.rc != "" {
		rc = quote(l.rc)
	}
	path, err := s.write("rc.bash", "rc.bash", "@RC@", rc, "@HOOK@", quote(hook))
	s.Args = append([]string{"--rcfile", path}, l.rest...)
	return err
}

// joinLines returns a and b as two lines, or b alone.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// shInteractive reports whether dash reads commands from its terminal with these arguments
// (dash(1)).
func shInteractive(args []string) bool {
	letters, ok := shortOptions(args)
	return ok && !strings.Contains(letters, "c")
}

// isDash reports whether sh is dash. Other shells called sh count the columns of their
// prompt, and each needs its own brackets around the marks.
func isDash(command string) bool {
	path, err := exec.LookPath(command)
	if err != nil {
		return false
	}
	path, err = filepath.EvalSymlinks(path)
	return err == nil && filepath.Base(path) == "dash"
}

// prepareSh sets ENV to a file that reads the user's ENV file. The shell expands the value of
// ENV as in double quotes (POSIX, sh, "ENVIRONMENT VARIABLES").
func prepareSh(s *Setup) error {
	restore := "unset ENV"
	if user, ok := environ.Get(s.Env, "ENV"); ok {
		restore = "ENV=" + quote(user) + "\n" +
			`eval "__glasstty_env=\"$ENV\""` + "\n" +
			`[ ! -f "$__glasstty_env" ] || . "$__glasstty_env"` + "\n" +
			"unset __glasstty_env"
	}
	path, err := s.write("env.sh", "env.sh", "@RESTORE@", restore, "@ESC@", "\x1b", "@BEL@", "\a")
	s.Env = environ.With(s.Env, "ENV", path)
	return err
}
