package session

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/glasstty/glasstty/emulator"
)

const (
	// matchLines is how many of the latest lines a pattern is matched against.
	matchLines = 2000
	// matchOverlap is how many lines that have been searched in vain are
	// searched again, for matches across lines.
	matchOverlap = 50
	// matchEvery is the least time between two searches.
	matchEvery = 2 * time.Millisecond
	// maxMatches is how many matches are looked at for one that is not empty.
	maxMatches = 100
)

// A matcher searches a session's text for a pattern. A match of nothing, or of
// blanks and line ends alone, does not count: it would say nothing.
type matcher struct {
	pattern *regexp.Regexp
	line    int64     // lines before it have been searched
	last    time.Time // of the last search
	seen    uint64    // the revision that was searched
	next    time.Time // when to search again, zero when nothing is new
	found   string
}

// matchLocked reports whether g's pattern matches what it may match.
func (s *Session) matchLocked(g *goal) bool {
	m := g.match
	if g.call != nil && !g.call.started {
		return false
	}
	revision := s.term.Revision()
	now := time.Now()
	if m.seen == revision && !m.last.IsZero() {
		m.next = time.Time{}
		return false
	}
	if due := m.last.Add(matchEvery); now.Before(due) {
		m.next = due
		return false
	}
	m.last, m.seen, m.next = now, revision, time.Time{}
	if g.call == nil || s.fullScreenLocked() {
		if m.in(s.screenTextLocked(g)) {
			return true
		}
	}
	return m.in(s.drawnLocked(g))
}

// in reports whether the pattern has a match in text in which there is something
// to see.
func (m *matcher) in(text string) bool {
	for _, at := range m.pattern.FindAllStringIndex(text, maxMatches) {
		if strings.TrimSpace(text[at[0]:at[1]]) != "" {
			m.found = fmt.Sprintf("%q", text[at[0]:min(at[1], at[0]+100)])
			return true
		}
	}
	return false
}

// screenTextLocked returns the screen as the pattern sees it; before the
// program has drawn anything in answer to the input, nothing.
func (s *Session) screenTextLocked(g *goal) string {
	if g.call != nil && s.term.Revision() <= g.call.revision {
		return ""
	}
	snap := s.shotLocked(0)
	if g.call == nil {
		return snap.Text()
	}
	var rows []string
	for _, r := range snap.Screen {
		if r.Revision > g.call.revision {
			rows = append(rows, r.Text())
		}
	}
	return strings.Join(rows, "\n")
}

// drawnLocked returns the text that the pattern sees: for a call that typed,
// what was drawn after its input was taken, else unread output. Echoes are left
// out; the prompt is there up to the cursor, with its blanks.
func (s *Session) drawnLocked(g *goal) string {
	from := emulator.Position{Line: g.reader.line, Offset: emulator.Cells(g.reader.given)}
	if g.call != nil {
		from = g.call.at
	}
	m := g.match
	end := s.term.EndLine()
	start := max(from.Line, m.line-matchOverlap, end-matchLines)
	m.line = end
	open := s.echoes.resolve(s.term, &s.prompts)
	byLine := s.spansLocked(start, open)
	cursor, onText := s.term.CursorPosition()
	var b strings.Builder
	for i, l := range s.linesLocked(start, end).shown {
		spans := byLine[l.Number]
		if l.Number == from.Line && from.Offset > 0 {
			spans = append(spans, span{l.Number, 0, from.Offset})
		}
		text := l.Text
		if onText && l.Number == cursor.Line {
			text = upTo(text, max(cursor.Offset, emulator.Cells(text)))
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(stripKeep(text, spans))
	}
	return b.String()
}
