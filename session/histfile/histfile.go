// Package histfile keeps the commands typed in a session out of the user's history files.
//
// Shells and REPLs save their input in history files. A Setup sets environment variables so that
// they use files in a directory that is removed with the session. Bash, zsh and Python read the
// user's history first, and then save to a file of the Setup: package shellmarks makes the shells
// do so, and a startup script Python. irb also gets a startup script, which reads the user's
// startup file.
//
// If a program's own configuration names its history file, the program still writes there. Examples
// are a zsh inside another program, IPython and vim.
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

// fishHistory is the variable that names fish's history in the user's data directory. If its value
// is empty, fish does not save its history (fish, "fish_history").
const fishHistory = "fish_history"

// startupScripts lists the variables that name a program's startup file, each with the script that
// the Setup uses instead. The script reads the user's startup file.
var startupScripts = map[string]string{"PYTHONSTARTUP": "startup.py", "IRBRC": "irbrc.rb"}

// shellHistory is the variable that names the history file of bash, ksh, mksh and zsh.
const shellHistory = "HISTFILE"

// A Setup keeps the history files of one session in a directory.
type Setup struct {
	dir   string            // the directory of the history files and startup scripts
	given map[string]string // variables that the caller has set, and that the Setup does not change
}

// New returns a Setup that keeps history files in dir. given are the variables that the caller has
// set for the program.
func New(dir string, given map[string]string) *Setup { return &Setup{dir, given} }

// File returns the history file of the session's shell, or "" if the caller has set the variable that names it.
func (s *Setup) File() string {
	if _, ok := s.given[shellHistory]; ok {
		return ""
	}
	return filepath.Join(s.dir, "shell")
}

// Env returns env, a list of "NAME=value", with all variables of the Setup except shellHistory. It
// writes the startup scripts. If a script cannot be written, its variable is left out.
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

// WithShell returns env with shellHistory set, for a program that package shellmarks does not prepare.
func (s *Setup) WithShell(env []string) []string {
	return s.with(env, map[string]string{shellHistory: s.File()})
}

// with returns env with the variables in set, except for those that the caller has set.
func (s *Setup) with(env []string, set map[string]string) []string {
	for name, value := range set {
		if _, ok := s.given[name]; !ok {
			env = environ.With(env, name, value)
		}
	}
	return slices.Sorted(slices.Values(env))
}

// write writes a startup script that reads user, the user's startup file, or the default file if user is empty.
func (s *Setup) write(script, user string) (path string, err error) {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return "", err
	}
	path = filepath.Join(s.dir, "history-"+script)
	r := strings.NewReplacer("@RUN@", shellmarks.PythonRun(), "@USER@", quote(user), "@HISTORY@", quote(filepath.Join(s.dir, script+".history")))
	return path, os.WriteFile(path, []byte(r.Replace(string(text))), 0o600)
}

// quote returns text as a single-quoted string for Python and Ruby, without its newlines.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", ``).Replace(text) + "'"
}
