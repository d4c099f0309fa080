package shellmarks

import (
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/internal/shellquote"
)

// shellValues are the short options of shells whose value is the name of a shell option.
var shellValues = []string{"-o", "-O", "+o", "+O"}

// bashSyntax is the syntax of bash's options (bash(1), "OPTIONS").
var bashSyntax = syntax{
	unmarked: []string{
		"-c", "-r", "--restricted", "--help", "--version", "--dump-strings", "--dump-po-strings", "--rpm-requires",
	},
	values: append([]string{"--rcfile", "--init-file"}, shellValues...),
	stdin:  "-s",
}

// prepareBash makes bash read a startup file that reads the user's startup file and then the hook.
// As a login shell, or with --norc or --posix, bash does not read such a file, or reads others too.
// In these cases, PROMPT_COMMAND runs the hook before the first prompt.
func prepareBash(s *Setup) error {
	boot, original := "", ""
	hook := filepath.Join(s.dir, "hook.bash")
	for _, name := range []string{"-l", "--login", "--posix", "--norc"} {
		if _, ok := s.given[name]; ok {
			boot = ". " + shellquote.Word(hook)
		}
	}
	if boot != "" {
		original, _ = environ.Get(s.Env, "PROMPT_COMMAND")
		s.Env = environ.With(s.Env, "PROMPT_COMMAND", joinLines(original, boot))
	}
	if _, err := s.write("hook.bash", "hook.bash", "@BOOT@", shellquote.Word(joinLines(original, boot)), "@ORIGINAL@", shellquote.Word(original)); err != nil {
		return err
	}
	if boot != "" {
		return nil
	}
	rc, at := "~/.bashrc", max(s.given["--rcfile"], s.given["--init-file"])
	if at > 0 {
		rc = shellquote.Word(s.Args[at])
	}
	path, err := s.write("rc.bash", "rc.bash", "@RC@", rc, "@HOOK@", shellquote.Word(hook))
	if at == 0 {
		s.Args = append([]string{"--rcfile", path}, s.Args...)
	} else {
		s.Args = slices.Clone(s.Args)
		s.Args[at] = path
	}
	return err
}

// joinLines returns a and b as two lines. If one of them is empty, it returns the other.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

// shSyntax is the syntax of dash's options (dash(1)).
var shSyntax = syntax{unmarked: []string{"-c"}, values: shellValues, stdin: "-s"}

// isDash reports whether command is dash. Other shells called sh count the columns of their prompt,
// so the marks would need brackets around them, of a form that depends on the shell.
func isDash(command string) bool {
	path, err := exec.LookPath(command)
	if err != nil {
		return false
	}
	path, err = filepath.EvalSymlinks(path)
	return err == nil && filepath.Base(path) == "dash"
}

// prepareSh sets ENV to a file that reads the file in the user's ENV. A shell expands the value of
// ENV as if it were in double quotes (POSIX, sh, "ENVIRONMENT VARIABLES").
func prepareSh(s *Setup) error {
	restore := "unset ENV"
	if user, ok := environ.Get(s.Env, "ENV"); ok {
		restore = "ENV=" + shellquote.Word(user) + "\n" +
			`eval "__glasstty_env=\"$ENV\""` + "\n" +
			`[ ! -f "$__glasstty_env" ] || . "$__glasstty_env"` + "\n" +
			"unset __glasstty_env"
	}
	path, err := s.write("env.sh", "env.sh", "@RESTORE@", restore, "@ESC@", "\x1b", "@BEL@", "\a")
	s.Env = environ.With(s.Env, "ENV", path)
	return err
}
