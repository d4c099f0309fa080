package wait

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

const (
	// matchLines is the maximum number of lines of one search. The next search continues after them.
	matchLines = 2000
	// matchOverlap is the number of lines that are searched again, because a match may have several lines.
	matchOverlap = 50
	// matchWork limits the work of one search, in the unit of text.PatternWork: a search holds the
	// session's lock, and should do so for at most about 0.2 s. A pattern that needs more work for
	// each byte is matched against less text at a time.
	matchWork = 1 << 24
	// MatchEvery is the minimum time between two searches. matchShare is that minimum as a multiple
	// of the duration of the last search. The longer one counts.
	MatchEvery = 2 * time.Millisecond
	matchShare = 4
	// maxMatches is the maximum number of matches that are checked for one that is not blank.
	maxMatches = 100
	// lastSearch limits the total time of the searches after the wait's time is up. matchWork
	// limits each single search.
	lastSearch = 200 * time.Millisecond
)

// A matcher searches a session's text for a pattern. A match that is empty, or consists only of
// blanks and line ends, does not count.
type matcher struct {
	pattern *regexp.Regexp
	maxText int           // maximum length of the text of one search, in bytes
	line    int64         // the first line that no search has reached
	seen    uint64        // revision of the screen at the last search
	ended   time.Time     // when the last search ended
	took    time.Duration // duration of the last search
	again   time.Time     // when to search again; zero if all text was searched
	found   string        // the match, quoted; "" if there is none yet
	foundAt time.Time
}

// due returns when the next search may begin.
func (m *matcher) due() time.Time { return m.ended.Add(max(MatchEvery, matchShare*m.took)) }

// search reports whether g's pattern matches text that was not searched before. It is false until the call has begun
// to type or, if input to a full-screen program ends in Enter, until all of it is written. late says that the wait's
// time is up: then search does not pause first, and continues to the end of the text for at most lastSearch.
func (g *Goal) search(late bool) bool {
	m := g.match
	m.again = time.Time{}
	if in := g.Input; in != nil && (!in.Started || in.Submitted && !in.Finished && g.State.Term.FullScreen()) {
		return false
	}
	began, end := time.Now(), g.State.Term.EndLine()
	if m.seen == g.State.Term.Revision() && m.line >= end {
		return false
	}
	if due := m.due(); began.Before(due) && !late {
		m.again = due
		return false
	}
	m.seen = g.State.Term.Revision()
	found := g.matchesRows() && m.find(g.changedRows()) || m.find(g.nextLines())
	for late && !found && m.line < end && time.Since(began) < lastSearch {
		found = m.find(g.nextLines())
	}
	m.ended = time.Now()
	if m.took = m.ended.Sub(began); !found && m.line < end {
		m.again = m.due()
	}
	return found
}

// matchesRows reports whether g's pattern is also matched against the rows of the screen. In rows, most echoes
// are not known. So if the program is not full-screen, only a call that types nothing searches the rows.
func (g *Goal) matchesRows() bool {
	_, onText := g.State.Term.CursorPosition()
	return g.State.Term.FullScreen() || g.Input == nil && (!g.IgnoreEcho || !onText)
}

// find reports whether the pattern has a match that is not blank in the last maxText bytes of text.
func (m *matcher) find(text string) bool {
	for cut := len(text) - m.maxText; cut > 0; cut-- {
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

// changedRows returns the rows of the screen that the pattern is matched against: if the call has typed,
// those that changed after its input. It leaves out the rows that are echoes according to entered.
func (g *Goal) changedRows() string {
	if g.Input != nil && g.State.Term.Revision() <= g.Input.Revision {
		return ""
	}
	snap := g.State.Snapshot(0)
	shown := make([]string, len(snap.Screen))
	for i, r := range snap.Screen {
		shown[i] = r.Text()
	}
	echoes := g.entered().EchoRows(shown)
	var rows []string
	for i, row := range shown {
		if echoes[i] || g.Input != nil && snap.Screen[i].Revision <= g.Input.Revision {
			continue
		}
		if i == snap.Cursor.Row { // a prompt ends in blanks
			row = text.UpTo(row, max(snap.Cursor.Col, emulator.TextWidth(row)))
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}

// entered returns what a full-screen program showed when the last Enter was written. A later line or row with
// this text is an echo. If the pattern is also matched against text from before the call, entered returns nil.
func (g *Goal) entered() text.Entered {
	if g.Input == nil && !g.IgnoreEcho {
		return nil
	}
	return g.State.Last.Entered
}

// nextLines returns the next lines against which the pattern is matched. If the call has typed,
// these are lines drawn after the input. Otherwise they are unread lines and, with IgnoreEcho, all
// lines on the screen. Lines on the screen may change, so they are returned each time. nextLines
// leaves out echoes. In the cursor's line, it keeps the blanks before the cursor.
func (g *Goal) nextLines() string {
	m := g.match
	from := g.Reader.Seen.Line
	switch {
	case g.Input != nil:
		from = g.Input.Screen
	case g.IgnoreEcho:
		from = min(from, g.State.Term.FirstScreenLine())
	}
	screen, size := g.State.Term.FirstScreenLine(), 0
	searched := min(m.line, screen)
	start := max(from, searched-matchOverlap, g.State.Term.FirstLine())
	m.line = min(start+matchLines, g.State.Term.EndLine())
	open := g.State.Echoes.Resolve(g.State.Term, &g.State.Prompts)
	byLine := g.State.Spans(start, open)
	cursor, onText := g.State.Term.CursorPosition()
	var seen []string
	submitted := int64(math.MaxInt64) // lines from this number on show what is being submitted
	if g.State.Submitting() {
		submitted = g.State.Marks.Start.At.Line
	}
	entered := g.entered()
	all := g.State.Lines(start, m.line)
	for i, l := range all.Shown {
		at := onText && l.Number == cursor.Line // the cursor's line counts even if it did not change
		if l.Erased || l.Number >= submitted || g.Input != nil && l.Revision <= g.Input.Revision && !at {
			continue
		}
		if entered.Repeats(l.Text, g.State.Term.Size().Cols) {
			entered = nil
			continue
		}
		spans := text.Unchanged(byLine[l.Number], all.Lines[i].Text)
		if c := g.Input; c != nil && l.Number == c.At.Line && c.At.Offset > 0 && text.StartsWith(all.Lines[i].Text, c.Before) {
			spans = append(spans, text.Span{Line: l.Number, To: c.At.Offset})
		}
		if at && g.IgnoreEcho && g.cursorLineShown() {
			spans = nil
		}
		line := l.Text
		if at {
			line = text.UpTo(line, max(cursor.Offset, emulator.TextWidth(line)))
		}
		line = text.StripKeepBlanks(line, spans)
		seen = append(seen, line)
		if size += len(line) + 1; size > m.maxText && l.Number >= searched && l.Number < screen {
			m.line = l.Number + 1
			break
		}
	}
	return strings.Join(seen, "\n")
}

// cursorLineShown reports whether the program itself has written the text before the cursor: that
// text is a prompt, or keys have recalled or completed it.
func (g *Goal) cursorLineShown() bool {
	last, before := &g.State.Last, g.State.AtCursor()
	if last.Edited && !last.Submitted || detect.LooksLikePrompt(before) {
		return true
	}
	_, ok := g.State.Prompts.Match(before)
	return ok
}

const (
	// FrameQuiet is how long a full-screen program must write nothing before its screen counts as
	// completely drawn, if the kernel does not show that the program waits again.
	FrameQuiet = 20 * time.Millisecond
	// FrameLimit is how long a match waits for the program to finish drawing its screen. Some
	// programs draw without a pause.
	FrameLimit = 300 * time.Millisecond
)

// matched returns the verdict on g's pattern. While there is text that was not searched, the
// verdict has Again set. A match ends the wait only when the screen is completely drawn (see
// frameDue), because the reply shows the screen.
func (g *Goal) matched(now time.Time, late bool) detect.Verdict {
	m := g.match
	switch {
	case m == nil:
		return detect.Verdict{}
	case m.found == "" && !g.search(late):
		return detect.Verdict{Again: m.again}
	}
	if m.foundAt.IsZero() {
		m.foundAt = now
	}
	if due := g.frameDue(m.foundAt, now); !late && g.Until != UntilNone && now.Before(due) {
		return detect.Verdict{Again: due}
	}
	return detect.Requested(detect.Matched, "the pattern matched "+m.found)
}

// frameDue returns when to check again whether the screen on which the pattern matched at the time matched is
// completely drawn. If it is, or if FrameLimit has passed since the match, the returned time is not after now.
func (g *Goal) frameDue(matched, now time.Time) time.Time {
	limit := matched.Add(FrameLimit)
	if g.State.Ended || !g.State.Term.FullScreen() || !now.Before(limit) {
		return now
	}
	quiet := g.State.LastOutput.Add(FrameQuiet)
	if g.Ready.OutputPending(g.Ready.LookTTY()) || g.State.HalfDrawn(now) {
		return slices.MinFunc([]time.Time{limit, now.Add(FrameQuiet)}, time.Time.Compare)
	}
	g.Ready.Refresh(now)
	if k := g.Ready.Kernel(); k.Known && k.Waiting && !k.InputUnread {
		return now
	}
	return slices.MinFunc([]time.Time{limit, quiet}, time.Time.Compare)
}
