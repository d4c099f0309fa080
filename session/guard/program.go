package guard

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/danger"
)

// A Program is the program that will read the line.
type Program struct {
	Place danger.Place
	Langs []danger.Lang // in which it may read a line, the most likely first; none for data
	R     bool          // r repeats a line of the history, as in zsh and ksh
}

// A Front is what is known about the program in front.
type Front struct {
	Name   string // of its process
	Dir    string // its working directory, "" if not known
	Home   string
	Main   string          // the name of the session's program
	Prompt string          // the text before the cursor
	Pipe   bool            // it is on pipes
	Piped  func() []string // the names of the processes of its job that read a pipe; nil if not known
}

// Program returns the program that will read the line.
func (f Front) Program() Program {
	name := filepath.Base(f.Name)
	p := Program{Place: danger.Place{Dir: f.Dir, Home: f.Home}}
	if name == "MainThread" || name == "" || name == "." {
		name = filepath.Base(f.Main)
	}
	if remote[name] {
		p.Place.Dir = ""
	}
	p.R = strings.HasSuffix(name, "zsh") || strings.HasSuffix(name, "ksh")
	lang, known := programLang(name)
	guess, shaped := promptLang(f.Prompt)
	switch {
	case known && lang == danger.Data:
		if f.Piped != nil && slices.ContainsFunc(f.Piped(), isShell) {
			p.Langs = []danger.Lang{danger.Shell} // cat | sh
		}
	case known && (lang == danger.Vim || lang == danger.GDB || lang == danger.Client || lang == danger.Shell):
		p.Langs = []danger.Lang{lang}
	case !known && guess == danger.Client: // on another machine
		p.Place.Dir, p.Langs = "", []danger.Lang{guess}
	case known && (shaped && guess == lang || lang == danger.SQL || lang == danger.Redis || lang == danger.Mongo || f.Pipe):
		p.Langs = []danger.Lang{lang}
	case known && strings.HasPrefix(strings.TrimLeft(f.Prompt, " "), ">"): // node's prompt
		p.Langs = []danger.Lang{lang}
	case known:
		p.Langs = []danger.Lang{danger.Shell, lang}
	case shaped:
		p.Langs = []danger.Lang{guess, danger.Shell}
	default:
		p.Langs = []danger.Lang{danger.Shell}
	}
	return p
}

// Same reports whether p and q read a line in the same way.
func (p Program) Same(q Program) bool {
	return p.Place == q.Place && p.R == q.R && slices.Equal(p.Langs, q.Langs)
}

// isShell reports whether a program is a shell.
func isShell(name string) bool {
	lang, known := programLang(name)
	return known && lang == danger.Shell
}

// remote are programs that read lines for another machine.
var remote = map[string]bool{
	"ssh": true, "mosh-client": true, "telnet": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "lxc": true, "vagrant": true, "nsenter": true, "chroot": true,
}

// versioned matches the name of a program with a version: python3.11.
var versioned = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z-]*?)[0-9.]*$`) })

// programLang returns the language in which a program reads lines.
func programLang(name string) (danger.Lang, bool) {
	name = strings.TrimPrefix(filepath.Base(name), "-")
	if m := versioned().FindStringSubmatch(name); m != nil && m[1] != "sqlite" {
		name = m[1]
	}
	switch name {
	case "bash", "sh", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "tcsh", "csh", "rbash", "yash", "nu", "elvish":
		return danger.Shell, true
	case "python", "ipython", "bpython", "ptpython", "pypy", "pdb", "ipdb", "jupyter-console", "xonsh":
		return danger.Python, true
	case "node", "nodejs", "deno", "bun", "ts-node", "tsx":
		return danger.Node, true
	case "irb", "ruby", "pry":
		return danger.Ruby, true
	case "perl", "php", "lua", "luajit", "R", "erl", "iex", "julia", "guile":
		return danger.Perl, true
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "pgcli", "mycli", "litecli", "sqlplus", "sqlcmd", "usql", "cqlsh", "clickhouse-client", "clickhouse", "mssql-cli", "isql", "impala-shell", "beeline", "hive", "trino", "snowsql":
		return danger.SQL, true
	case "redis-cli", "valkey-cli":
		return danger.Redis, true
	case "mongo", "mongosh":
		return danger.Mongo, true
	case "vim", "vi", "nvim", "view", "ex", "ed", "red", "dc", "mail", "mailx", "mutt", "neomutt", "tig", "less", "more", "man", "most", "pager":
		return danger.Vim, true
	case "gdb", "lldb":
		return danger.GDB, true
	case "sftp", "ftp", "tnftp", "lftp", "ncftp", "pftp", "smbclient", "cadaver", "gnuplot", "octave", "gp":
		return danger.Client, true
	case "cat", "tee", "wc", "grep", "sort", "nano", "pico", "micro", "emacs", "joe", "head", "tail", "bc", "hx", "kak":
		return danger.Data, true
	}
	return danger.Shell, false
}

// promptLang guesses a language from the prompt before the cursor, for a program on another
// machine.
func promptLang(line string) (danger.Lang, bool) {
	line = strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(line, ">>> "), strings.HasPrefix(line, "... "), strings.HasPrefix(line, "In ["):
		return danger.Python, true
	case strings.HasPrefix(line, "mysql> "), strings.HasPrefix(line, "sqlite> "), strings.HasPrefix(line, "MariaDB ["), strings.HasPrefix(line, "   ...> "), strings.HasPrefix(line, "    -> "), psqlPrompt().MatchString(line):
		return danger.SQL, true
	case strings.HasPrefix(line, "irb("), strings.HasPrefix(line, "[1] pry("):
		return danger.Ruby, true
	case strings.HasPrefix(line, "(gdb) "):
		return danger.GDB, true
	case strings.HasPrefix(line, "sftp> "), strings.HasPrefix(line, "ftp> "), strings.HasPrefix(line, "telnet> "):
		return danger.Client, true
	}
	return danger.Shell, false
}

// psqlPrompt matches the prompt of psql: "app=# ", "app-> ", "app(# ".
var psqlPrompt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]+[=\-('"*][#>] `) })
