package session

import (
	"regexp"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
)

// What leaves a session goes through its Manager's mask: lines by linesLocked,
// screens by shotLocked, bytes by fillRawLocked and the replay, single texts by
// Hide. What the session decides by (echoes, prompts, the danger check) it reads
// as it is.

// mask returns what hides secrets, nil for nothing.
func (m *Manager) mask() *mask.Mask {
	if m == nil { // a session alone, in tests
		return nil
	}
	return m.opt.Mask
}

// Hide returns text with its secrets hidden, where Options.Mask is set.
func (m *Manager) Hide(text string) string { return m.mask().Text(text) }

// Hides reports whether secrets are hidden.
func (m *Manager) Hides() bool { return m.mask() != nil }

// hide is Hide for a session's own texts.
func (s *Session) hide(text string) string { return s.m.Hide(text) }

// A shownLines holds lines of the transcript with their secrets hidden.
type shownLines struct {
	lines []emulator.Line // as they are
	shown []emulator.Line // as they may leave
	begun int             // the cell of the last line where what may become a secret begins, or -1
}

// linesLocked returns the transcript's lines from one number up to another.
func (s *Session) linesLocked(from, to int64) shownLines {
	lines := s.term.Lines(from, to)
	m := s.m.mask()
	if m == nil || len(lines) == 0 {
		return shownLines{lines, lines, -1}
	}
	before := s.term.Lines(from-mask.Near, from)
	if n := len(before); mask.KeyMaterial(lines[0].Text) || n > 0 && mask.KeyMaterial(before[n-1].Text) {
		before = s.term.Lines(from-mask.Context, from)
	}
	texts := make([]string, 0, len(before)+len(lines))
	for _, list := range [][]emulator.Line{before, lines} {
		for _, l := range list {
			texts = append(texts, l.Text)
		}
	}
	texts, begun := m.Lines(texts, s.openLocked(lines[len(lines)-1]))
	out := shownLines{lines, make([]emulator.Line, len(lines)), begun}
	for i, l := range lines {
		l.Text = texts[len(before)+i]
		out.shown[i] = l
	}
	return out
}

// openLocked reports whether a line may go on where it ends: the cursor stands
// there, and the program runs.
func (s *Session) openLocked(last emulator.Line) bool {
	at, onText := s.term.CursorPosition()
	return onText && s.status == StatusRunning && at.Line == last.Number && at.Offset == emulator.Cells(last.Text)
}

// from returns the cell of line i from which on it is new to a reader who was given
// its first cells, of which what may have become a secret began at begun (0: none,
// else the cell plus one): that was hidden, and is given again when it has become
// none.
func (l *shownLines) from(i, given, begun int) int {
	if begun == 0 || begun-1 >= given {
		return given
	}
	was, now := between(l.lines[i].Text, begun-1, given), between(l.shown[i].Text, begun-1, given)
	if was != now {
		return given
	}
	return begun - 1
}

// shotLocked returns the screen with scrollback rows above it (-1: all), its secrets
// hidden.
func (s *Session) shotLocked(scrollback int) *emulator.Snapshot {
	return shot(s.m.mask(), s.term, scrollback, s.status == StatusRunning)
}

// shot returns a terminal's screen with its secrets hidden. With open it may go on
// before the cursor.
func shot(m *mask.Mask, term *emulator.Terminal, scrollback int, open bool) *emulator.Snapshot {
	if m == nil {
		return term.Snapshot(scrollback)
	}
	all := term.ScrollbackRows()
	if scrollback < 0 {
		scrollback = all
	}
	scrollback = min(scrollback, all)
	extra := min(mask.Near, all-scrollback)
	s := term.Snapshot(scrollback + extra)
	if extra > 0 && mask.Reaches(s, extra) {
		extra = min(mask.Context, all-scrollback)
		s = term.Snapshot(scrollback + extra)
	}
	return m.Snapshot(s, extra, open)
}

// hideReply hides what a reply says beside its output and screen.
func (s *Session) hideReply(r *Reply) {
	if s.m.mask() == nil {
		return
	}
	if prompt, _ := s.m.mask().Lines([]string{r.Prompt}, s.status == StatusRunning); r.Prompt != "" {
		r.Prompt = prompt[0]
	}
	r.Hint = s.hide(r.Hint)
	for _, p := range []**string{&r.Title, &r.Cwd, &r.Foreground} {
		if *p != nil {
			hidden := s.hide(**p)
			*p = &hidden
		}
	}
	for i := range r.Events {
		r.Events[i].Text = s.hide(r.Events[i].Text)
	}
	for i := range r.Notes {
		r.Notes[i] = s.hide(r.Notes[i])
	}
	if r.Explain != nil {
		evidence := make([]string, len(r.Explain.Evidence))
		for i, e := range r.Explain.Evidence {
			evidence[i] = s.hideQuotes(e)
		}
		r.Explain.Evidence = evidence
	}
	s.hideCommand(r.Last)
}

// quotes is what evidence quotes.
var quotes = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// hideQuotes hides secrets in evidence, and in what it quotes, such as the text at the
// cursor, what may become one.
func (s *Session) hideQuotes(evidence string) string {
	return quotes.ReplaceAllStringFunc(s.hide(evidence), func(q string) string {
		text, cut := strings.CutSuffix(q[1:len(q)-1], "…")
		hidden, _ := s.m.mask().Lines([]string{text}, true)
		if cut {
			hidden[0] += "…"
		}
		return `"` + hidden[0] + `"`
	})
}

// hideCommand hides what the last command says.
func (s *Session) hideCommand(c *LastCommand) {
	if c != nil {
		c.Text, c.Cwd = s.hide(c.Text), s.hide(c.Cwd)
	}
}

// hideInfo hides what a session's facts say.
func (s *Session) hideInfo(i *Info) {
	m := s.m.mask()
	if m == nil {
		return
	}
	words := m.Words(append([]string{i.Command}, i.Args...))
	i.Command, i.Args = words[0], words[1:]
	for _, p := range []*string{&i.Name, &i.Title, &i.Cwd, &i.Foreground} {
		*p = s.hide(*p)
	}
	s.hideCommand(i.LastCommand)
}

// hideHeld hides what the error about held input says. What it names the input by
// confirms it all the same.
func (m *Manager) hideHeld(e *HeldError) *HeldError {
	if m.mask() == nil {
		return e
	}
	e.Input, e.Line = m.Hide(e.Input), m.Hide(e.Line)
	e.Findings = slices.Clone(e.Findings)
	for i := range e.Findings {
		f := &e.Findings[i]
		f.What, f.Why = m.Hide(f.What), m.Hide(f.Why)
	}
	return e
}
