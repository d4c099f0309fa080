package session

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// DefaultMaxOutputChars bounds a reply's output when neither its Wait nor
// Limits.Output says.
const DefaultMaxOutputChars = 20_000

// limit returns how many characters of output the reply may hold.
func (w Wait) limit() int {
	return cmp.Or(w.MaxOutputChars, DefaultMaxOutputChars)
}

// An outLine is a line of output with its number in the transcript.
type outLine struct {
	number int64
	text   string
	end    string // the line's whole text in the transcript, for the cursor
}

// outputLocked returns the lines of output from line on: the transcript
// without prompts, echoes and what was given before, secrets hidden; begun is the
// reader's. With reason prompt the prompt now waiting is left out too.
func (s *Session) outputLocked(line int64, given string, begun int, reason detect.Reason) []outLine {
	open := s.echoes.resolve(s.term, &s.prompts)
	if reason == detect.Prompt || s.promptStandsLocked() {
		open = append(open, s.promptSpansLocked()...)
	}
	end := s.term.EndLine()
	byLine := s.spansLocked(line, open)
	cursor, onText := s.term.CursorPosition()
	if onText && s.belowPromptLocked(reason) {
		end = min(end, cursor.Line+1)
	}
	var out []outLine
	all := s.linesLocked(line, end)
	for i, l := range all.lines {
		spans := byLine[l.Number]
		if l.Number == line {
			if n := stillGiven(l.Text, given, spans); n > 0 {
				spans = append(spans, span{l.Number, 0, all.from(i, n, begun)})
			}
		}
		shown := all.shown[i].Text
		text, gone := strip(shown, spans)
		if open := onText && l.Number == cursor.Line && l.Number == end-1; open && text != "" {
			// A question keeps the blanks before the cursor.
			text = stripKeep(upTo(shown, max(cursor.Offset, emulator.Cells(shown))), spans)
		}
		// The last line is where the cursor stands: while it is empty there is
		// no line yet.
		if gone || text == "" && l.Number == end-1 {
			continue
		}
		out = append(out, outLine{l.Number, text, l.Text})
	}
	return out
}

// belowPromptLocked reports whether what stands below the cursor belongs to a new
// prompt, as the toolbar of ptpython and litecli does. What Tab lists there is an
// answer, and what a job in the background writes moves the cursor.
func (s *Session) belowPromptLocked(reason detect.Reason) bool {
	return reason == detect.Prompt && (!s.last.by || s.last.submitted) && !s.marks.prompted
}

// stillGiven returns how many cells of a line, in which spans are no output, are what
// was given of it: all of that, or what stands before a prompt that was drawn anew.
func stillGiven(text, given string, spans []span) int {
	if startsWith(text, given) {
		return emulator.Cells(given)
	}
	if given == "" || len(spans) == 0 {
		return 0
	}
	n := slices.MinFunc(spans, func(a, b span) int { return a.from - b.from }).from
	if upTo(text, n) != upTo(given, n) {
		return 0
	}
	return n
}

// startsWith reports whether a line still begins with what was given of it. Of
// blanks at a line's end the terminal does not tell which were written.
func startsWith(text, given string) bool {
	return given != "" && strings.HasPrefix(text+strings.Repeat(" ", len(given)), given)
}

// spansLocked returns the spans from line on, by line and in order.
func (s *Session) spansLocked(line int64, more []span) map[int64][]span {
	byLine := map[int64][]span{}
	for _, list := range [][]span{s.echoes.spans, more} {
		for _, sp := range list {
			if sp.line >= line {
				byLine[sp.line] = append(byLine[sp.line], sp)
			}
		}
	}
	return byLine
}

// promptStandsLocked reports whether the cursor stands right behind a prompt that
// the shell has marked, and where nobody has typed: the prompt may have been drawn
// anew.
func (s *Session) promptStandsLocked() bool {
	pos, ok := s.term.CursorPosition()
	return ok && s.marks.prompted && !s.marks.touched && s.marks.end.At == pos
}

// promptSpansLocked returns the spans of the prompt now waiting.
func (s *Session) promptSpansLocked() []span {
	pos, ok := s.term.CursorPosition()
	if !ok {
		return nil
	}
	if k := &s.marks; k.prompted && k.end.At.Line <= pos.Line {
		if !k.touched && k.end.At.Line < pos.Line {
			// Nobody typed: what follows the prompt is output.
			return spansBetween(k.start.At, k.end.At, false)
		}
		return k.spans(pos, true)
	}
	if at, ok := s.promptEditLocked(); ok {
		return spansBetween(at, pos, true)
	}
	if start := s.promptStartLocked(); start >= 0 {
		return []span{{pos.Line, start, lineEnd}}
	}
	return []span{{pos.Line, 0, lineEnd}}
}

// promptLocked returns the prompt now waiting, up to the cursor.
func (s *Session) promptLocked() string {
	text := s.atCursorLocked()
	if start := s.promptStartLocked(); start > 0 {
		text = emulator.CutCells(text, start)
	}
	return text
}

// fillOutputLocked puts r's unread output into the reply and moves its cursor.
func (s *Session) fillOutputLocked(r *reader, w Wait, reply *Reply) {
	reply.HasOutput = true
	if w.Raw {
		s.fillRawLocked(r, w, reply)
		return
	}
	first := s.term.FirstLine()
	if r.line < first {
		reply.DroppedBytes = s.term.TextBefore(first) - r.before
		r.line, r.given, r.begun = first, "", 0
		reply.Notes = append(reply.Notes, "what was dropped is beyond "+s.scrollbackLimit())
	}
	lines := s.outputLocked(r.line, r.given, r.begun, reply.Reason)
	paged := w.MaxLines > 0 && len(lines) > w.MaxLines
	if paged {
		lines = lines[:w.MaxLines]
		reply.HasMore = true
	}
	s.moveLocked(r, lines, paged)
	s.renderLines(lines, w, reply)
}

// moveLocked moves r's cursor past lines, or to the end when these are all.
func (s *Session) moveLocked(r *reader, lines []outLine, paged bool) {
	if paged {
		last := lines[len(lines)-1]
		r.line, r.given, r.begun = last.number+1, "", 0
		r.before = s.term.TextBefore(r.line)
		return
	}
	s.moveToEndLocked(r)
}

// moveToEndLocked moves r's cursor to the end of the output.
func (s *Session) moveToEndLocked(r *reader) {
	r.line, r.given, r.begun = s.term.EndLine()-1, "", 0
	if cursor, ok := s.term.CursorPosition(); ok && s.belowPromptLocked(s.lastReason) {
		r.line = min(r.line, cursor.Line) // the answer overwrites what stands below
	}
	if r.line < s.term.FirstLine() {
		r.line = s.term.FirstLine()
	}
	if last := s.linesLocked(r.line, r.line+1); len(last.lines) == 1 {
		r.given, r.begun = last.lines[0].Text, last.begun+1
		if cursor, ok := s.term.CursorPosition(); ok && cursor.Line == r.line {
			r.given = upTo(r.given, max(cursor.Offset, emulator.Cells(r.given)))
		}
	}
	r.before = s.term.TextBefore(r.line) + int64(len(r.given))
	r.raw = s.raw.total
}

// rawContext is how many bytes before the unread ones are read for a secret that
// begins there.
const rawContext = 16 << 10

// fillRawLocked puts the child's unread bytes into the reply as they are, but for
// secrets. What may become one waits for the next reply.
func (s *Session) fillRawLocked(r *reader, w Wait, reply *Reply) {
	first := s.raw.first()
	from := max(r.raw, first)
	base := from
	if s.m.mask() != nil {
		base = max(first, from-rawContext)
	}
	p, _ := s.rawSinceLocked(base)
	p, held := s.m.mask().Bytes(p, int(min(from, s.raw.total)-base), s.status == StatusRunning)
	p = p[:len(p)-held]
	reply.DroppedBytes = max(first-r.raw, 0)
	n := rawLines(p, w.MaxLines)
	reply.Output, reply.HasMore = joinRaw(p[:n], w.limit(), max(r.line, s.term.FirstLine()))
	reply.BytesReturned = len(reply.Output)
	if n < len(p) {
		reply.HasMore = true
		r.raw = from + int64(n)
		return
	}
	s.moveToEndLocked(r)
	r.raw -= int64(held)
}

// rawLines returns how many bytes the first lines of p are, all where none are asked
// for.
func rawLines(p []byte, lines int) (n int) {
	for ; lines > 0; lines-- {
		i := bytes.IndexByte(p[n:], '\n')
		if i < 0 {
			break
		}
		if n += i + 1; lines == 1 {
			return n
		}
	}
	return len(p)
}

// joinRaw returns raw output as text of at most about limit characters: whole, or
// head and tail with a line between, which tells the line from which on all is there
// as text.
func joinRaw(p []byte, limit int, line int64) (text string, cut bool) {
	runes := []rune(strings.ToValidUTF8(string(p), "\uFFFD"))
	if len(runes) <= limit {
		return string(runes), false
	}
	head := limit * headShare / 100
	tail := limit - head
	return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d gets them, without escapes …\n%s",
		string(runes[:head]), len(runes)-limit, line, string(runes[len(runes)-tail:])), true
}

// renderLines puts lines into the reply, folded and cut as w asks.
func (s *Session) renderLines(lines []outLine, w Wait, reply *Reply) {
	reply.LinesReturned = len(lines)
	lines = markElisions(lines)
	if w.Compact {
		lines = fold(lines)
	}
	var elided int
	reply.Output, elided = join(lines, w.limit())
	if elided > 0 {
		reply.HasMore = true
		reply.LinesReturned -= elided
		if w.byLimit {
			reply.Notes = append(reply.Notes, fmt.Sprintf("cut at %s=%d: max_output_chars gives more", LimitOutput, w.limit()))
		}
	}
	reply.BytesReturned = len(reply.Output)
}

// headShare is the part of an elided output that its head gets, in percent: the
// end tells more.
const headShare = 40

// join returns lines as one text of at most about limit characters: whole, or
// head and tail with a line between that says what is missing and how to get
// it. elided counts the lines left out.
func join(lines []outLine, limit int) (text string, elided int) {
	total := 0
	for _, l := range lines {
		total += utf8.RuneCountInString(l.text) + 1
	}
	if total-1 <= limit {
		return joinAll(lines), 0
	}
	head := takeChars(lines, limit*headShare/100)
	tail := takeCharsBack(lines[head:], limit-limit*headShare/100)
	from := lines[head : len(lines)-tail]
	if len(from) == 0 || head == 0 || tail == 0 {
		return joinCut(lines, limit), len(from)
	}
	// Where lines are folded, more are left out than stand in from.
	next := lines[len(lines)-tail].number
	gone := int(max(next-from[0].number, int64(len(from))))
	return fmt.Sprintf("%s\n… %d lines left out; read_output from_line=%d max_lines=%d gets them …\n%s",
		joinAll(lines[:head]), gone, from[0].number, gone, joinAll(lines[len(lines)-tail:])), gone
}

// joinAll returns lines as one text.
func joinAll(lines []outLine) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// joinCut returns the head and tail of lines, cut inside lines: the first or the
// last is longer than its part.
func joinCut(lines []outLine, limit int) string {
	runes := []rune(joinAll(lines))
	head := limit * headShare / 100
	tail := limit - head
	cut := len(runes) - head - tail
	return fmt.Sprintf("%s\n… %d characters left out; read_output from_line=%d max_output_chars=%d gets them …\n%s",
		strings.TrimSuffix(string(runes[:head]), "\n"), cut, lines[0].number, len(runes), string(runes[len(runes)-tail:]))
}

// takeChars returns how many of the first lines have together at most n
// characters.
func takeChars(lines []outLine, n int) int {
	for i, l := range lines {
		if n -= utf8.RuneCountInString(l.text) + 1; n < 0 {
			return i
		}
	}
	return len(lines)
}

// takeCharsBack returns how many of the last lines have together at most n
// characters.
func takeCharsBack(lines []outLine, n int) int {
	for i := range lines {
		if n -= utf8.RuneCountInString(lines[len(lines)-1-i].text) + 1; n < 0 {
			return i
		}
	}
	return len(lines)
}

// minFold is the shortest run of like lines that is folded.
const minFold = 3

// fold returns lines with runs of equal or numbered-alike ones as their first,
// a count and their last.
func fold(lines []outLine) []outLine {
	var out []outLine
	for i := 0; i < len(lines); {
		j := i + 1
		for j < len(lines) && alike(lines[i].text, lines[j].text) {
			j++
		}
		if j-i < minFold {
			out = append(out, lines[i:j]...)
			i = j
			continue
		}
		first, last := lines[i], lines[j-1]
		switch {
		case first.text == last.text:
			out = append(out, first, outLine{number: lines[i+1].number, text: fmt.Sprintf("… %d times the same …", j-i)})
		default:
			out = append(out, first, outLine{number: lines[i+1].number, text: fmt.Sprintf("… %d lines like these …", j-i-2)}, last)
		}
		i = j
	}
	return out
}

// alike reports whether two lines differ in numbers only.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	if a == "" || b == "" {
		return false
	}
	return strings.Map(noDigits, a) == strings.Map(noDigits, b)
}

// noDigits drops digits and what joins them into numbers.
func noDigits(r rune) rune {
	if r >= '0' && r <= '9' || r == '.' || r == ',' {
		return -1
	}
	return r
}
