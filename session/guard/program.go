package guard

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/state"
)

// A Program is the program that will read the line.
type Program struct {
	Place danger.Place  // where the line would run; its Dir is "" if not known
	Langs []danger.Lang // languages in which it may read a line, the most likely first; empty if it reads data
	Shell string        // zsh, fish or ksh, whose syntax differs from bash's; empty for others
	// Literal reports that the program is known not to replace !words with parts of earlier lines.
	Literal bool
	// Recalls reports that the program is at a prompt where its line editor may bring back an
	// earlier line.
	Recalls bool
	// OwnKeys reports that keys which edit a line in line editors may have another effect: in a pager,
	// the key that begins a line is not part of it, and tmux takes the key after its prefix.
	OwnKeys bool
}

// effect returns the effect of a key on a line for p.
func (p *Program) effect(s Keystroke, l *Line) Effect {
	if p.OwnKeys && s.Effect >= GoesLeft && s.Effect <= KillsWord && s.Effect != Erases && (len(l.Text) > 0 || s.Rune != 0) {
		return Unpredictable
	}
	return s.Effect
}

// A Foreground describes the foreground program.
type Foreground struct {
	Name   string          // the name of its process
	Dir    string          // its working directory; empty if not known
	Home   string          // the user's home directory
	Main   string          // the command of the session's own program
	Prompt string          // the text before the cursor
	Pipe   bool            // it has pipes instead of a terminal
	Marked bool            // it is a shell that has marked its prompt
	Cursor bool            // the cursor is visible, and the program is not a full-screen program
	Piped  func() []string // returns the names of the processes that read what its job writes; nil if not known
}

// IsShell reports whether f is a known shell.
func (f Foreground) IsShell() bool {
	lang, known := programLang(f.program())
	return known && lang == danger.Shell
}

// program returns the name of the program. It is that of its process or, if a runtime has renamed the
// main thread ("MainThread") or the name is empty, that of the session's program.
func (f Foreground) program() string {
	if name := filepath.Base(f.Name); name != "MainThread" && name != "." {
		return name
	}
	return filepath.Base(f.Main)
}

// Program returns the program that will read the line.
func (f Foreground) Program() Program {
	name := f.program()
	p := Program{Place: danger.Place{Dir: f.Dir, Home: f.Home}}
	if remoteClients[name] {
		p.Place.Dir = ""
	}
	for _, shell := range []string{"zsh", "fish", "ksh"} {
		if strings.HasSuffix(name, shell) {
			p.Shell = shell
		}
	}
	lang, known := programLang(name)
	p.Literal = known && !expandsHistory[strings.TrimPrefix(name, "-")]
	first, _, _ := strings.Cut(name, ":") // tmux names its process "tmux: client"
	p.OwnKeys = lang == danger.Vim || slices.Contains([]string{"tmux", "screen", "zellij"}, first)
	guess, shaped := promptLang(f.Prompt)
	p.Recalls = f.recalls(lang, known, shaped && (!known || guess == lang))
	switch {
	case known && lang == danger.Data:
		p.Langs = f.pipedLangs() // cat | sh
	case known && lang == danger.GDB:
		p.Langs = []danger.Lang{lang, danger.Python} // gdb's command python, without an argument, reads further lines
	case !known && guess == danger.Client: // on another machine
		p.Place.Dir, p.Langs = "", []danger.Lang{guess}
	case name == "ipython" || name == "xonsh":
		p.Langs = []danger.Lang{lang, danger.Shell} // with automagic, commands such as rm need no %
	case known && (!slices.Contains(scriptedLangs, lang) || shaped && guess == lang || f.Pipe || nodePrompt().MatchString(f.Prompt)):
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

// recalls reports whether the program is at a prompt of a line editor with a history. A menu
// or a form, in which arrow keys and Enter mean other things, has no prompt sign before the
// cursor, hides the cursor, or takes the whole screen.
func (f Foreground) recalls(lang danger.Lang, known, shaped bool) bool {
	switch {
	case f.Marked || !f.Cursor || f.Pipe:
		return f.Marked
	case known && lang == danger.Vim:
		return strings.HasPrefix(f.Prompt, "!") // the prompt of less for a shell command
	case known && !slices.Contains(scriptedLangs, lang):
		return true
	}
	return shaped || strings.ContainsAny(f.Prompt, state.PromptSigns)
}

// scriptedLangs lists the languages of interpreters that also run programs with menus.
var scriptedLangs = []danger.Lang{danger.Python, danger.Node, danger.Ruby, danger.Perl}

// SessionShell returns the session's program if it is a shell: the shell reads the input once f has
// ended. Otherwise SessionShell returns nil.
func (f Foreground) SessionShell() *Program {
	if lang, known := programLang(f.Main); !known || lang != danger.Shell {
		return nil
	}
	shell := Foreground{Name: f.Main, Main: f.Main, Dir: f.Dir, Home: f.Home}.Program()
	return &shell
}

// ReadsLike reports whether p and q read a line in the same way.
func (p Program) ReadsLike(q Program) bool {
	return p.Place == q.Place && p.Shell == q.Shell && p.Literal == q.Literal && slices.Equal(p.Langs, q.Langs)
}

// pipedLangs returns the languages of the known programs that read what the foreground job writes.
func (f Foreground) pipedLangs() (langs []danger.Lang) {
	if f.Piped == nil {
		return nil
	}
	for _, name := range f.Piped() {
		if lang, known := programLang(name); known && lang != danger.Data && !slices.Contains(langs, lang) {
			langs = append(langs, lang)
		}
	}
	return langs
}

// remoteClients lists programs whose lines run on another machine or in another file system.
var remoteClients = map[string]bool{
	"ssh": true, "mosh-client": true, "telnet": true, "docker": true, "podman": true, "kubectl": true, "oc": true, "lxc": true, "vagrant": true, "nsenter": true, "chroot": true,
}

// expandsHistory lists the shells that replace !words with parts of earlier lines. sh may be bash.
var expandsHistory = map[string]bool{"bash": true, "rbash": true, "sh": true, "zsh": true, "csh": true, "tcsh": true}

// versionedName matches the name of a program with a version: python3.11.
var versionedName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z-]*?)[0-9.]*$`) })

// programs are the programs that read lines in each language.
var programs = map[danger.Lang][]string{
	danger.Shell:  {"bash", "sh", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox", "tcsh", "csh", "rbash", "yash", "nu", "elvish"},
	danger.Python: {"python", "ipython", "bpython", "ptpython", "pypy", "pdb", "ipdb", "jupyter-console", "xonsh"},
	danger.Node:   {"node", "nodejs", "deno", "bun", "ts-node", "tsx"},
	danger.Ruby:   {"irb", "ruby", "pry"},
	danger.Perl:   {"perl", "php", "lua", "luajit", "R", "erl", "iex", "julia", "guile", "jshell"},
	danger.SQL:    {"psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "pgcli", "mycli", "litecli", "sqlplus", "sqlcmd", "usql", "cqlsh", "clickhouse-client", "clickhouse", "mssql-cli", "isql", "impala-shell", "beeline", "hive", "trino", "snowsql"},
	danger.Redis:  {"redis-cli", "valkey-cli"},
	danger.Mongo:  {"mongo", "mongosh"},
	danger.Vim:    {"vim", "vi", "nvim", "view", "ex", "ed", "red", "dc", "mail", "mailx", "mutt", "neomutt", "tig", "less", "more", "man", "most", "pager"},
	danger.GDB:    {"gdb", "lldb"},
	danger.Client: {"sftp", "ftp", "tnftp", "lftp", "ncftp", "pftp", "smbclient", "cadaver", "gnuplot", "octave", "gp"},
	danger.Data:   {"cat", "tee", "wc", "grep", "sort", "nano", "pico", "micro", "emacs", "joe", "head", "tail", "bc", "hx", "kak"},
}

// programLang returns the language in which a program reads lines, and whether the program is known. For
// other programs, the language is that of a shell.
func programLang(name string) (danger.Lang, bool) {
	name = strings.TrimPrefix(filepath.Base(name), "-")
	if m := versionedName().FindStringSubmatch(name); m != nil && m[1] != "sqlite" {
		name = m[1]
	}
	for lang, programs := range programs {
		if slices.Contains(programs, name) {
			return lang, true
		}
	}
	return danger.Shell, false
}

// promptLang guesses a program's language from the prompt before the cursor, and reports whether the
// prompt is known. This also works for a program on another machine.
func promptLang(line string) (danger.Lang, bool) {
	line = strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(line, ">>> "), strings.HasPrefix(line, "... "), strings.HasPrefix(line, "In ["):
		return danger.Python, true
	case strings.HasPrefix(line, "mysql> "), strings.HasPrefix(line, "sqlite> "), strings.HasPrefix(line, "MariaDB ["), psqlPrompt().MatchString(line):
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

// nodePrompt matches the prompts that node shows for a command and for its further lines.
var nodePrompt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ *(?:>|\.\.\.|\| )`) })

// psqlPrompt matches the prompt of psql: "app=# ", "app-> ", "app(# ".
var psqlPrompt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]+[=\-('"*][#>] `) })
