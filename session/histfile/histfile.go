// Package histfile keeps the commands typed in a session out of the user's history files.
//
// Shells and REPLs save their input in history files. A Setup directs them, with environment
// variables, to files in a directory that is removed with the session. Bash, zsh and Python
// still read the user's history: package shellmarks makes the shells switch to File after
// that, and a startup file makes Python do so. irb gets a startup file too, which reads the
// user's own.
//
// A program whose own configuration names its history file, such as a zsh inside another
// program, IPython or vim, still writes there.
package histfile

import (
	"embed"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/session/shellmarks"
)

//go:embed scripts
var scripts embed.FS

// historyFiles are the variables that name a program's history file.
var historyFiles = []string{
	"GDBHISTFILE",        // gdb
	"LESSHISTFILE",       // less
	"MYSQL_HISTFILE",     // mysql, mariadb
	"NODE_REPL_HISTORY",  // node
	"PSQL_HISTORY",       // psql
	"REDISCLI_HISTFILE",  // redis-cli
	"SQLITE_HISTORY",     // sqlite3
	"VALKEYCLI_HISTFILE", // valkey-cli
}

// fishHistory is the variable that names fish's history in the user's data directory. If the
// name is empty, fish does not save its history (fish, "fish_history").
const fishHistory = "fish_history"

// startupScripts maps variables that name a program's startup file to the script that replaces the
// file and reads it.
var startupScripts = map[string]string{"PYTHONSTARTUP": "startup.py", "IRBRC": "irbrc.rb"}

// shellHistory is the variable that names the history file of bash, ksh, mksh and zsh.
const shellHistory = "HISTFILE"

// A Setup keeps the histories of one session in a directory.
type Setup struct {
	dir   string
	given map[string]string // variables that the Setup does not change
}

// New returns a Setup that keeps histories in dir, for a program that is given these variables,
// which the Setup does not change.
func New(dir string, given map[string]string) *Setup { return &Setup{dir, given} }

// File returns the history file of the session's shell, or "" if the given variables name another.
func (s *Setup) File() string {
	if _, ok := s.given[shellHistory]; ok {
		return ""
	}
	return filepath.Join(s.dir, "shell")
}

// Env returns env, a list of "NAME=value", with the variables of the Setup except shellHistory. It
// writes the startup scripts, and leaves out the variable of one that cannot be written.
func (s *Setup) Env(env []string) []string {
	set := map[string]string{fishHistory: ""}
	for _, name := range historyFiles {
		set[name] = filepath.Join(s.dir, strings.ToLower(name))
	}
	for name, script := range startupScripts {
		if _, ok := s.given[name]; ok {
			continue
		}
		user, _ := environ.Get(env, name)
		if path, err := s.write(script, user); err == nil {
			set[name] = path
		}
	}
	return s.with(env, set)
}

// WithShell returns env with shellHistory, for a program that package shellmarks does not prepare.
func (s *Setup) WithShell(env []string) []string {
	return s.with(env, map[string]string{shellHistory: s.File()})
}

// with returns env with variables set, except for those that were given.
func (s *Setup) with(env []string, set map[string]string) []string {
	for name, value := range set {
		if _, ok := s.given[name]; !ok {
			env = environ.With(env, name, value)
		}
	}
	return slices.Sorted(slices.Values(env))
}

// write writes a startup script that reads the user's own, or the default if user is empty.
func (s *Setup) write(script, user string) (path string, err error) {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	path = filepath.Join(s.dir, "history-"+script)
	r := strings.NewReplacer("@RUN@", shellmarks.PythonRun(), "@USER@", quote(user), "@HISTORY@", quote(filepath.Join(s.dir, script+".history")))
	return path, os.WriteFile(path, []byte(r.Replace(string(text))), 0o600)
}

// quote returns text as a single-quoted string of Python and Ruby. It removes newlines.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", ``).Replace(text) + "'"
}
