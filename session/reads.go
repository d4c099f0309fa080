package session

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/child"
)

// readerLangLocked returns where and in which languages the program in front will
// read a line; none when it reads data.
func (s *Session) readerLangLocked(tty ttyState) (danger.Place, []danger.Lang) {
	cwd, front := s.whereLocked(tty)
	place := danger.Place{Dir: cwd, Home: homeDirOf(s.opt.Env)}
	if tty.group > 0 {
		if dir := child.Cwd(tty.group); dir != "" {
			place.Dir = dir
		}
	}
	name := filepath.Base(front)
	if name == "MainThread" || name == "" || name == "." {
		name = filepath.Base(s.opt.Command)
	}
	if remote[name] {
		place.Dir = ""
	}
	lang, known := programLang(name)
	if known {
		switch lang {
		case danger.Data:
			return place, nil
		case danger.Vim, danger.GDB, danger.Client, danger.Shell:
			return place, []danger.Lang{lang}
		}
	}
	guess, shaped := promptLang(s.atCursorLocked())
	switch {
	case !known && guess == danger.Client:
		return danger.Place{Home: place.Home}, []danger.Lang{guess} // on a machine behind this one
	case known && (shaped && guess == lang || lang == danger.SQL || lang == danger.Redis || lang == danger.Mongo || s.opt.Pipe):
		return place, []danger.Lang{lang}
	case known && strings.HasPrefix(strings.TrimLeft(s.atCursorLocked(), " "), ">"):
		return place, []danger.Lang{lang} // node's prompt
	case known:
		return place, []danger.Lang{danger.Shell, lang}
	case shaped:
		return place, []danger.Lang{guess, danger.Shell}
	}
	return place, []danger.Lang{danger.Shell}
}

// homeDirOf returns the home directory of a child.
func homeDirOf(env map[string]string) string {
	if home, ok := env["HOME"]; ok {
		return home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// remote are programs that read lines for another machine.
var remote = map[string]bool{
	"ssh": true, "mosh-client": true, "telnet": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "lxc": true, "vagrant": true, "nsenter": true, "chroot": true,
}

// versioned finds the name of a program in front of its version: python3.11.
var versioned = regexp.MustCompile(`^([A-Za-z][A-Za-z-]*?)[0-9.]*$`)

// programLang returns the language in which a program reads lines.
func programLang(name string) (danger.Lang, bool) {
	name = strings.TrimPrefix(filepath.Base(name), "-")
	if m := versioned.FindStringSubmatch(name); m != nil && m[1] != "sqlite" {
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

// promptLang guesses a language from the prompt before the cursor, for what runs
// on another machine.
func promptLang(line string) (danger.Lang, bool) {
	line = strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(line, ">>> "), strings.HasPrefix(line, "... "), strings.HasPrefix(line, "In ["):
		return danger.Python, true
	case strings.HasPrefix(line, "mysql> "), strings.HasPrefix(line, "sqlite> "), strings.HasPrefix(line, "MariaDB ["), strings.HasPrefix(line, "   ...> "), strings.HasPrefix(line, "    -> "), psqlPrompt.MatchString(line):
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

// psqlPrompt finds the prompt of psql: "app=# ", "app-> ", "app(# ".
var psqlPrompt = regexp.MustCompile(`^[\w-]+[=\-('"*][#>] `)
