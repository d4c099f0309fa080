package session

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/danger"
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
