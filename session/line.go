package session

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/child"
)

// The bounds of what is remembered of typed lines.
const (
	maxTypedLine = 64 << 10 // characters of the line being typed
	maxScript    = 64 << 10 // bytes of lines that the program has not taken as a whole
	maxVars      = 32       // lines that set variables
	maxRecalled  = 200      // lines that history expansion can name
)

// A typedInput is the line that is being typed, as far as it can be foretold from
// the keys, and what came before it.
type typedInput struct {
	text    []rune
	cursor  int
	sure    bool // the text is what an Enter would submit
	read    bool // it has been read from the screen since the last key that is not foretold
	open    bool // a key has been typed since the last Enter
	at      emulator.Position
	onText  bool
	version uint64 // grows with every input

	script   string   // lines submitted that are unfinished: an open quote, a heredoc
	vars     []string // lines that set shell variables
	recalled []string // lines submitted, oldest first
}

// clear empties the line after an Enter or ctrl+c.
func (l *typedInput) clear() {
	l.text, l.cursor, l.sure, l.read, l.open = nil, 0, true, false, false
}

// take makes the tried line the real one.
func (l *typedInput) take(tried typedInput, submitted []string) {
	tried.version = l.version + 1
	tried.script, tried.vars, tried.recalled = l.script, l.vars, l.recalled
	*l = tried
	for _, s := range submitted {
		if s = strings.TrimSpace(s); s == "" || len(s) > maxTypedLine {
			continue
		}
		if l.recalled = append(l.recalled, s); len(l.recalled) > maxRecalled {
			l.recalled = l.recalled[1:]
		}
	}
}

// A deed is what a key does to the line.
type deed int

const (
	inserts deed = iota
	submits
	goesLeft
	goesRight
	goesHome
	goesEnd
	erases     // the character before the cursor
	deletes    // the one under it
	killsEnd   // from the cursor on
	killsStart // up to the cursor
	killsWord
	abandons   // the whole line: ctrl+c
	escapes    // esc: in vi's modes what follows is commands
	unforeseen // what cannot be foretold: history, completion, search
)

// A stroke is one key, or one character, of an input.
type stroke struct {
	does deed
	r    rune
	item int // which key of the input, -1 for its text, len(keys) for Enter
	at   int // in the text, the byte behind it
}

// controlDeeds are what control characters do in readline, zle, fish and libedit
// alike.
var controlDeeds = map[rune]deed{
	'\r': submits, '\n': submits, 0x01: goesHome, 0x02: goesLeft, 0x03: abandons, 0x04: deletes, 0x05: goesEnd, 0x06: goesRight,
	0x08: erases, 0x7f: erases, 0x0b: killsEnd, 0x0f: submits, 0x15: killsStart, 0x17: killsWord, 0x1b: escapes,
}

// keyDeeds are what named keys do.
var keyDeeds = map[emulator.KeyCode]deed{
	emulator.KeyEnter: submits, emulator.KeyLeft: goesLeft, emulator.KeyRight: goesRight, emulator.KeyHome: goesHome, emulator.KeyEnd: goesEnd,
	emulator.KeyBackspace: erases, emulator.KeyDelete: deletes, emulator.KeyEscape: escapes,
}

// strokes returns the keys of an input, one by one. bracketed says that a paste
// is marked as one, so that line breaks in it submit nothing.
func strokes(in Input, bracketed bool) []stroke {
	var out []stroke
	add := func(text string, item int, literal bool) {
		for i, r := range text {
			s := stroke{does: inserts, r: r, item: item, at: i + len(string(r))}
			if d, ok := controlDeeds[r]; ok && !literal {
				s.does = d
			} else if r < ' ' && !literal {
				s.does = unforeseen
			}
			out = append(out, s)
		}
	}
	add(in.Text, -1, in.Paste && bracketed)
	for i, k := range in.Keys {
		if k.Text != "" {
			add(k.Text, i, false)
			continue
		}
		for range max(k.Repeat, 1) {
			out = append(out, stroke{does: keyDeed(k.Key), r: k.Key.Rune, item: i})
		}
	}
	if len(in.Mouse) > 0 {
		out = append(out, stroke{does: unforeseen, item: len(in.Keys)})
	}
	if in.Enter {
		out = append(out, stroke{does: submits, item: len(in.Keys)})
	}
	return out
}

// keyDeed returns what a key does to the line.
func keyDeed(k emulator.Key) deed {
	mods := k.Mods &^ emulator.Shift
	switch {
	case k.Code == emulator.KeyRune && mods == 0:
		return inserts
	case k.Code == emulator.KeyRune && mods == emulator.Ctrl:
		if d, ok := controlDeeds[k.Rune&0x1f]; ok {
			return d
		}
		return unforeseen
	case mods == 0:
		if d, ok := keyDeeds[k.Code]; ok {
			return d
		}
	case k.Code == emulator.KeyEnter:
		return submits
	}
	return unforeseen
}

// apply does to the line what a key does.
func (l *typedInput) apply(s stroke) {
	if len(l.text) > maxTypedLine {
		l.sure = false
		return
	}
	l.open, l.read = true, false
	n := len(l.text)
	switch s.does {
	case inserts:
		l.text = slices.Insert(l.text, l.cursor, s.r)
		l.cursor++
	case goesLeft:
		l.cursor = max(l.cursor-1, 0)
	case goesRight:
		// At the end, fish takes its suggestion.
		l.sure = l.sure && l.cursor < n
		l.cursor = min(l.cursor+1, n)
	case goesHome:
		l.cursor = 0
	case goesEnd:
		l.sure = l.sure && l.cursor < n
		l.cursor = n
	case erases:
		if l.cursor > 0 {
			l.text = slices.Delete(l.text, l.cursor-1, l.cursor)
			l.cursor--
		}
	case deletes:
		if l.cursor < n {
			l.text = slices.Delete(l.text, l.cursor, l.cursor+1)
		}
	case killsEnd:
		l.text = l.text[:l.cursor]
	case killsStart:
		// zsh takes the whole line away, the others what is before the cursor.
		l.sure = l.sure && l.cursor == n
		l.text, l.cursor = l.text[l.cursor:], 0
	case killsWord:
		start := l.cursor
		for start > 0 && l.text[start-1] == ' ' {
			start--
		}
		for start > 0 && l.text[start-1] != ' ' {
			start--
		}
		l.text, l.cursor = slices.Delete(l.text, start, l.cursor), start
	case abandons:
		l.clear()
	case escapes, unforeseen:
		l.sure = false
	}
}

// splitAt cuts an input before its stroke i.
func splitAt(in Input, all []stroke, i int) (before Input, rest *Input) {
	at := all[i]
	from := 0 // in the text of the item, where the stroke begins
	if i > 0 && all[i-1].item == at.item {
		from = all[i-1].at
	}
	before, after := in, in
	before.Enter = false
	switch {
	case at.item < 0:
		before.Text, before.Keys, before.Mouse = in.Text[:from], nil, nil
		after.Text = in.Text[from:]
	case at.item == len(in.Keys):
		after.Text, after.Keys, after.Mouse, after.Paste = "", nil, nil, false
	default:
		k := in.Keys[at.item]
		first, second := k, k
		if k.Text != "" {
			first.Text, second.Text = k.Text[:from], k.Text[from:]
		}
		before.Keys = slices.Clone(in.Keys[:at.item])
		if k.Text != "" && first.Text != "" {
			before.Keys = append(before.Keys, first)
		}
		before.Mouse = nil
		after.Text, after.Paste = "", false
		after.Keys = append([]KeyPress{second}, in.Keys[at.item+1:]...)
	}
	return before, &after
}

// openLineLocked notes where a line begins as its first key comes, with what
// stands there already, and reads the line from the screen when keys have been
// typed whose effect was not foretold.
func (s *Session) openLineLocked() {
	l := &s.line
	if l.version == 0 && !l.open {
		l.sure = true
	}
	if !l.open {
		l.at, l.onText = s.term.CursorPosition()
		if k := &s.marks; k.prompted && !s.opt.Pipe && !s.fullScreenLocked() {
			l.text, l.cursor = s.lineOnScreenLocked()
		}
		return
	}
	if !l.sure && l.read {
		l.text, l.cursor = s.lineOnScreenLocked()
		l.sure = true
	}
}

// A search of the history shows the line it has found: readline behind
// "(reverse-i-search)`x': ", in place of the prompt; zsh and fish above a line that
// says what is looked for.
var (
	searchBefore = regexp.MustCompile("^\\((?:failed )?(?:reverse-)?i-search\\)`[^\n]*': ")
	searchBelow  = regexp.MustCompile(`\n(?:failing )?(?:(?:bck|fwd)-i-)?search: [^\n]*(?:\n *► [^\n]*)*$`)
)

// lineOnScreenLocked returns the line that is being edited, from the screen, and
// where the cursor is in it.
func (s *Session) lineOnScreenLocked() ([]rune, int) {
	cursor, onText := s.term.CursorPosition()
	if !onText || s.fullScreenLocked() {
		return []rune(s.cursorRowLocked()), 0
	}
	from := s.line.at
	if !s.line.onText {
		from = emulator.Position{Line: cursor.Line}
	}
	if k := &s.marks; k.prompted && !k.end.At.Before(emulator.Position{Line: from.Line}) {
		from = k.end.At
	}
	if cursor.Before(from) {
		from = emulator.Position{Line: cursor.Line}
	}
	text := s.textLocked(from, emulator.Position{Line: s.term.EndLine(), Offset: maxTypedLine})
	whole := s.textLocked(emulator.Position{Line: cursor.Line}, emulator.Position{Line: s.term.EndLine(), Offset: maxTypedLine})
	if at := searchBelow.FindStringIndex(text); at != nil {
		text = strings.TrimSpace(text[:at[0]])
	} else if at := searchBefore.FindStringIndex(whole); at != nil {
		text = strings.TrimSpace(whole[at[1]:])
	}
	line := []rune(text)
	before := len([]rune(s.textLocked(from, cursor)))
	return line, min(before, len(line))
}

// cursorRowLocked returns the row of the cursor without the prompt before it.
func (s *Session) cursorRowLocked() string {
	snap := s.term.Snapshot(0)
	row := ""
	if r := snap.Cursor.Row; r >= 0 && r < len(snap.Screen) {
		row = strings.TrimRight(snap.Screen[r].Text(), " ")
	}
	if n := s.prompts.Prefix(row + " "); n > 0 {
		return cut(row, n)
	}
	if at := strings.LastIndexAny(row, "$#%>❯"); at >= 0 && !strings.HasPrefix(row, ":") {
		return strings.TrimLeft(row[at:], "$#%>❯ ")
	}
	return row
}

const (
	// lineQuiet is how long the screen must be still for a line to be read from it
	// where the kernel does not tell that the program waits again.
	lineQuiet = 60 * time.Millisecond
	// lineLimit is how long that is waited for, takenLimit the same while the program
	// has not come to take what was typed: on a busy machine others are before it.
	lineLimit  = time.Second
	takenLimit = 4 * time.Second
	// lineLook is how often the kernel is asked meanwhile.
	lineLook = 5 * time.Millisecond
)

// settleLine waits until what was typed has been taken and shown.
func (s *Session) settleLine(ctx context.Context) error {
	began := time.Now()
	look := time.NewTicker(lineLook)
	defer look.Stop()
	for {
		s.mu.Lock()
		still := s.stillLocked(time.Now(), began)
		changed := s.changed
		if still {
			s.line.read = true
		}
		s.mu.Unlock()
		if still {
			return nil
		}
		select {
		case <-changed:
		case <-look.C:
		case <-s.exited:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stillLocked reports whether the line can be read from the screen, or has been
// waited for since began for long enough.
func (s *Session) stillLocked(now, began time.Time) bool {
	waited := now.Sub(began)
	quiet := now.Sub(s.lastOutput) > lineQuiet && s.unsent == 0
	// Where nothing is echoed, there is nothing to wait for.
	echoed := s.raw.total > s.last.offset || now.Sub(s.last.at) > lineQuiet*4
	if waited < lineLimit && !(quiet && echoed) {
		return false
	}
	return waited >= takenLimit || s.takenLocked(now)
}

// takenLocked reports whether the program in front has taken what was typed, as far
// as the kernel tells: it has run since, and waits again or sleeps. One that runs on
// has had the time to.
func (s *Session) takenLocked(now time.Time) bool {
	if s.view.looker == nil {
		return true
	}
	if s.lookDue(now) {
		s.lookLocked(now)
	}
	k := s.kernelLocked()
	switch {
	case !k.Looked:
		return false
	case !k.Known:
		return true
	case !s.view.now.Drained:
		return false // what it has shown is on its way
	case s.view.now.Waiting:
		return k.Waiting && !k.Unproven
	}
	return k.Asleep && !s.view.now.Stopped || k.Reader || k.Listens
}

// submittedLocked remembers what matters to later lines.
func (s *Session) submittedLocked(sub submission) {
	s.line.script = ""
	if sub.unfinished && len(sub.text) <= maxScript {
		s.line.script = sub.text
	}
	if len(sub.langs) == 0 || sub.langs[0] != danger.Shell {
		return
	}
	for _, line := range sub.lines {
		if len(s.line.vars) < maxVars && len(line) <= maxRemembered && strings.Contains(line, "=") && setsVariable.MatchString(line) {
			s.line.vars = append(s.line.vars, line)
		}
	}
}

// maxRemembered is the longest line that is remembered for its variables, in bytes.
const maxRemembered = 1000

// setsVariable finds lines that do nothing but set variables that may be commands.
var setsVariable = regexp.MustCompile(`^\s*(?:export |declare |local |alias )?\s*[A-Za-z_][A-Za-z0-9_]*=(?:'[^']*'|"[^"$` + "`" + `]*"|[^\s;|&()$` + "`" + `]*)\s*$`)

// event finds history expansions: !!, !-2, !12, !word, !?word.
var event = regexp.MustCompile(`!(?:!|-\d+|\?[^?\n]+\??|[A-Za-z./][\w./-]*)`)

// expandHistory replaces the history expansions in a line that begins with one, as
// far as what they name was typed here.
func (s *Session) expandHistory(text string) string {
	if !strings.Contains(text, "!") {
		return text
	}
	past := s.line.recalled
	return event.ReplaceAllStringFunc(text, func(e string) string {
		if e == "!!" && len(past) > 0 {
			return past[len(past)-1]
		}
		for i, old := range slices.Backward(past) {
			back := len(past) - i
			if e[1] == '-' && e[2:] == itoa(back) || e[1] == '?' && strings.Contains(old, strings.Trim(e[1:], "?")) || strings.HasPrefix(old, e[1:]) {
				return old
			}
		}
		return e
	})
}

// itoa writes a small number.
func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}

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
