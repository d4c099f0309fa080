package wait

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

const (
	// matchLines is how many of the latest lines a pattern is matched against.
	matchLines = 2000
	// matchOverlap is how many lines that have been searched in vain are
	// searched again, for matches across lines.
	matchOverlap = 50
	// matchWork is how much work one search may be, in steps of text.PatternWork: it is
	// done under the session's lock, and takes some 0.2 s. A pattern that needs more
	// for the latest lines is matched against fewer of them.
	matchWork = 1 << 24
	// MatchEvery is the least time between two searches, and matchShare how many times
	// as long as the last one took at least.
	MatchEvery = 2 * time.Millisecond
	matchShare = 4
	// maxMatches is how many matches are looked at for one that is not empty.
	maxMatches = 100
)

// A matcher searches a session's text for a pattern. A match of nothing, or of
// blanks and line ends alone, does not count: it would say nothing.
type matcher struct {
	pattern *regexp.Regexp
	line    int64         // lines before it have been searched
	last    time.Time     // of the last search
	seen    uint64        // the revision that was searched
	cost    time.Duration // of the last search
	next    time.Time     // when to search again, zero when nothing is new
	reach   int           // the most bytes of text that are searched
	found   string
	at      time.Time // when it was found
}

// matches reports whether g's pattern matches what it may match.
func (g *Goal) matches() bool {
	m := g.match
	if g.Input != nil && !g.Input.Started {
		return false
	}
	revision := g.State.Term.Revision()
	now := time.Now()
	if m.seen == revision && !m.last.IsZero() {
		m.next = time.Time{}
		return false
	}
	if due := m.last.Add(max(MatchEvery, matchShare*m.cost)); now.Before(due) {
		m.next = due
		return false
	}
	m.seen, m.next = revision, time.Time{}
	defer func() { m.last = time.Now(); m.cost = m.last.Sub(now) }()
	if g.matchesRows() && m.in(g.screenText()) {
		return true
	}
	return m.in(g.drawn())
}

// matchesRows reports whether g's pattern is matched against the rows of the screen, of
// which nobody knows what is an echo, in addition to its lines.
func (g *Goal) matchesRows() bool {
	_, onText := g.State.Term.CursorPosition()
	return g.State.FullScreen() || g.Input == nil && (!g.Expects || !onText)
}

// newMatcher returns a matcher for pattern.
func newMatcher(pattern *regexp.Regexp) *matcher {
	return &matcher{pattern: pattern, reach: matchWork / text.PatternWork(pattern)}
}

// in reports whether the pattern has a match in text in which there is something
// to see.
func (m *matcher) in(text string) bool {
	for cut := len(text) - m.reach; cut > 0; cut-- {
		if utf8.RuneStart(text[cut]) {
			text = text[cut:]
			break
		}
	}
	for _, at := range m.pattern.FindAllStringIndex(text, maxMatches) {
		if strings.TrimSpace(text[at[0]:at[1]]) != "" {
			m.found = fmt.Sprintf("%q", text[at[0]:min(at[1], at[0]+100)])
			return true
		}
	}
	return false
}

// screenText returns the screen as the pattern sees it; before the
// program has drawn anything in answer to the input, nothing.
func (g *Goal) screenText() string {
	if g.Input != nil && g.State.Term.Revision() <= g.Input.Revision {
		return ""
	}
	snap := g.State.Shot(0)
	var rows []string
	for i, r := range snap.Screen {
		if g.Input != nil && r.Revision <= g.Input.Revision {
			continue
		}
		row := r.Text()
		if i == snap.Cursor.Row { // a prompt ends in blanks
			row = text.UpTo(row, max(snap.Cursor.Col, emulator.Cells(row)))
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}

// drawn returns the text that the pattern sees: for a call that typed,
// what was drawn after its input was taken, else unread output. Echoes are left
// out; the prompt is there up to the cursor, with its blanks.
func (g *Goal) drawn() string {
	m := g.match
	from := g.Reader.Seen.Line
	switch {
	case g.Input != nil:
		from = g.Input.Screen
	case g.Expects:
		from = min(from, g.State.Term.ScreenLine())
	}
	start := max(from, min(m.line, g.State.Term.ScreenLine())-matchOverlap, g.State.Term.EndLine()-matchLines)
	m.line = g.State.Term.EndLine()
	open := g.State.Echoes.Resolve(g.State.Term, &g.State.Prompts)
	byLine := g.State.Spans(start, open)
	cursor, onText := g.State.Term.CursorPosition()
	var seen []string
	all := g.State.Lines(start, m.line)
	for i, l := range all.Shown {
		at := onText && l.Number == cursor.Line // where a line begins, there may be nothing yet
		if l.Erased || g.Input != nil && l.Revision <= g.Input.Revision && !at {
			continue
		}
		spans := text.Standing(byLine[l.Number], all.Lines[i].Text)
		if c := g.Input; c != nil && l.Number == c.At.Line && c.At.Offset > 0 && text.StartsWith(all.Lines[i].Text, c.Prompt) {
			spans = append(spans, text.Span{Line: l.Number, To: c.At.Offset})
		}
		if at && g.Expects && g.cursorLineShown() {
			spans = nil
		}
		line := l.Text
		if at {
			line = text.UpTo(line, max(cursor.Offset, emulator.Cells(line)))
		}
		seen = append(seen, text.StripKeep(line, spans))
	}
	return strings.Join(seen, "\n")
}

// cursorLineShown reports whether the program has put what stands in the cursor's line: a
// prompt, or what keys have recalled or completed.
func (g *Goal) cursorLineShown() bool {
	last, before := &g.State.Last, g.State.AtCursor()
	if last.Edited && !last.Submitted || detect.LooksLikePrompt(before) {
		return true
	}
	_, ok := g.State.Prompts.Match(before)
	return ok
}

const (
	// FrameQuiet is how long the output of a full-screen program must have paused for
	// its frame to be painted, where the kernel does not tell that it waits again.
	FrameQuiet = 20 * time.Millisecond
	// FrameLimit is how long a match waits for the rest of its frame: some programs
	// paint without a pause.
	FrameLimit = 300 * time.Millisecond
)

// matched returns the verdict on g's pattern: what matches in a frame that is being
// painted counts when it is painted, as the reply shows the screen.
func (g *Goal) matched(now time.Time, late bool) detect.Verdict {
	m := g.match
	if m == nil || m.found == "" && !g.matches() {
		return detect.Verdict{}
	}
	if m.at.IsZero() {
		m.at = now
	}
	if due := g.frameDue(m.at, now); !late && g.Until != UntilNone && now.Before(due) {
		return detect.Verdict{Again: due}
	}
	return detect.Verdict{Done: true, Reason: detect.Matched, Layer: detect.LayerRequest, Why: []string{"the pattern matched " + m.found}}
}

// frameDue returns when the frame in which something has matched at a time is to be
// looked at again, now or earlier when it is painted.
func (g *Goal) frameDue(matched, now time.Time) time.Time {
	limit := matched.Add(FrameLimit)
	if g.State.Ended || !g.State.FullScreen() || !now.Before(limit) {
		return now
	}
	quiet := g.State.LastOutput.Add(FrameQuiet)
	if g.Ready.LookTTY().Pending > 0 || g.Ready.Child.Ahead(g.State.Raw.Total) || g.State.HalfDrawn(now) {
		return minTime(limit, now.Add(FrameQuiet))
	}
	g.Ready.Freshen(now)
	if k := g.Ready.Kernel(); k.Known && k.Waiting && !k.Unproven {
		return now
	}
	return minTime(limit, quiet)
}
