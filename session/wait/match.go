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
	// matchOverlap is how many lines without a match are searched again, for matches across
	// lines.
	matchOverlap = 50
	// matchWork bounds the work of one search, in steps of text.PatternWork: a search holds
	// the session's lock, for up to about 0.2 s. A pattern that needs more work is matched
	// against fewer lines.
	matchWork = 1 << 24
	// MatchEvery is the least time between two searches, and matchShare the least time as a
	// multiple of the last search's duration.
	MatchEvery = 2 * time.Millisecond
	matchShare = 4
	// maxMatches is how many matches are checked for one that is not empty.
	maxMatches = 100
)

// A matcher searches a session's text for a pattern. An empty match, or one of blanks and
// line ends only, does not count.
type matcher struct {
	pattern *regexp.Regexp
	line    int64         // lines before it have been searched
	last    time.Time     // of the last search
	seen    uint64        // the revision that was searched
	cost    time.Duration // of the last search
	next    time.Time     // when to search again, zero if nothing is new
	reach   int           // the most bytes of text that are searched
	found   string
	at      time.Time // when it was found
}

// matches reports whether g's pattern matches.
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

// matchesRows reports whether g's pattern is also matched against the rows of the screen,
// in which echoes are not known.
func (g *Goal) matchesRows() bool {
	_, onText := g.State.Term.CursorPosition()
	return g.State.Term.FullScreen() || g.Input == nil && (!g.Expects || !onText)
}

// newMatcher returns a matcher for pattern.
func newMatcher(pattern *regexp.Regexp) *matcher {
	return &matcher{pattern: pattern, reach: matchWork / text.PatternWork(pattern)}
}

// in reports whether the pattern has a visible match in text.
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

// screenText returns the text of the screen for the pattern: only the rows that changed
// after the input, if there is one.
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

// drawn returns the lines for the pattern: for a call that typed, those drawn after its
// input, otherwise unread output. It leaves out echoes, but has the prompt up to the
// cursor, with its blanks.
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
		at := onText && l.Number == cursor.Line // the line may be empty and still count
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

// cursorLineShown reports whether the program has written the text in the cursor's line: a
// prompt, or text that keys have recalled or completed.
func (g *Goal) cursorLineShown() bool {
	last, before := &g.State.Last, g.State.AtCursor()
	if last.Edited && !last.Submitted || detect.LooksLikePrompt(before) {
		return true
	}
	_, ok := g.State.Prompts.Match(before)
	return ok
}

const (
	// FrameQuiet is how long the output of a full-screen program must pause before its frame
	// counts as complete, if the kernel does not show that the program waits again.
	FrameQuiet = 20 * time.Millisecond
	// FrameLimit is how long a match waits for the rest of its frame: some programs draw
	// without a pause.
	FrameLimit = 300 * time.Millisecond
)

// matched returns the verdict on g's pattern. A match in an incomplete frame counts when
// the frame is complete, because the reply shows the screen.
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

// frameDue returns when to look again at the frame that matched; now or earlier means that
// the frame is complete.
func (g *Goal) frameDue(matched, now time.Time) time.Time {
	limit := matched.Add(FrameLimit)
	if g.State.Ended || !g.State.Term.FullScreen() || !now.Before(limit) {
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
