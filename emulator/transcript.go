package emulator

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
)

// A Position is a place in the session's text: a logical line (soft-wrapped
// rows are one line) and the number of cells before the place in that line.
// Lines are numbered from 0; a line's number never changes, by scrolling,
// reflow, clearing or screen switching.
type Position struct {
	Line   int64
	Offset int
}

// Before reports whether p comes before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Offset < q.Offset
}

// A Line is one logical line of the session's text, as it stands now: a line
// that was rewritten (a progress bar) is there once, in its latest state.
type Line struct {
	Number   int64
	Text     string // trailing blanks trimmed
	Revision uint64 // the last revision that changed it
}

// The transcript is the text that the program has shown as a stream: rows of
// the main screen that were reached by line feed or wrap. Text painted
// elsewhere (the alternate screen; a program like top that homes the cursor and
// repaints; rows below the stream reached by cursor addressing and later
// overwritten) never enters it. Lines erased by a clear of the whole screen
// stay in the transcript with their numbers, and the text after the clear gets
// new numbers.
//
// A line that was redrawn in place keeps its number and has a newer revision.
// Lines that an inline program erased below its cursor are gone, and EndLine may
// go down by that; a number that had text is not given to another line after,
// so a reader who keeps the number of the last line it read misses nothing that
// is written below it later.

// Lines returns the transcript's lines from number from up to but without to,
// cut to what is kept. The lines still on the screen are given as they stand. A
// number whose line is gone (its rows became part of the line above, or were
// erased and never written again) is left out.
func (t *Terminal) Lines(from, to int64) []Line {
	from, to = max(from, t.script.first), min(to, t.EndLine())
	if from >= to {
		return nil
	}
	live := t.numbered(from, to)
	out := make([]Line, 0, len(live))
	for k := t.script.find(from); k < t.script.lines.n || len(live) > 0; {
		n := to
		var l keptLine
		if k < t.script.lines.n {
			n = t.script.lines.at(k).number
		}
		if len(live) > 0 {
			n = min(n, t.main.rows[live[0]].line)
		}
		if n >= to {
			break
		}
		if k < t.script.lines.n && t.script.lines.at(k).number == n {
			l = *t.script.lines.at(k)
			k++
		}
		text := l.text[:len(l.text):len(l.text)] // the kept text is not ours to extend
		for ; len(live) > 0 && t.main.rows[live[0]].line == n; live = live[1:] {
			text = t.appendRow(text, live[0])
			l.rev = max(l.rev, t.main.rows[live[0]].rev)
		}
		out = append(out, Line{Number: n, Text: string(bytes.TrimRight(text, " ")), Revision: l.rev})
	}
	return out
}

// numbered returns the rows of the main screen that hold lines from up to but
// without to, in the lines' order. Only scrolling regions bring rows out of it.
func (t *Terminal) numbered(from, to int64) []int {
	var live []int
	rows := t.main.rows
	for r, rw := range rows {
		if rw.line >= from && rw.line < to {
			live = append(live, r)
		}
	}
	slices.SortStableFunc(live, func(a, b int) int { return cmp.Compare(rows[a].line, rows[b].line) })
	return live
}

// FirstLine returns the number of the oldest line kept.
func (t *Terminal) FirstLine() int64 { return t.script.first }

// TextBefore returns how many bytes of text, a line feed for each line included,
// the kept lines before number line and all the lines dropped before them had.
// The difference of two calls tells how much a reader has missed.
func (t *Terminal) TextBefore(line int64) int64 {
	s := &t.script
	n := s.dropped + s.text
	for i := s.lines.n - 1; i >= 0 && s.lines.at(i).number >= line; i-- {
		n -= int64(len(s.lines.at(i).text)) + 1 // readers are mostly near the end
	}
	return n
}

// EndLine returns the number after the last line of the transcript: the last
// one that holds text, or the cursor's when it is further down.
func (t *Terminal) EndLine() int64 {
	end := t.script.end()
	rows := t.main.rows
	for r := len(rows) - 1; r >= 0; r-- {
		rw := rows[r]
		if rw.line < end {
			continue
		}
		if t.scr == t.main && r == t.row || !t.blankRow(r) {
			end = rw.line + 1
		}
	}
	return end
}

// CursorPosition returns the cursor's place in the transcript. When the cursor
// is on a row that is not part of the transcript (alternate screen, painted
// row) it returns the transcript's end and false.
func (t *Terminal) CursorPosition() (Position, bool) {
	if !t.streaming() {
		return Position{Line: t.EndLine()}, false
	}
	col := t.col
	if t.wrap && col == t.rightLimit() {
		col++
	}
	n := t.main.rows[t.row].line
	if n == noLine {
		if t.stream.painting {
			return Position{Line: t.EndLine()}, false
		}
		return Position{Line: t.stream.next, Offset: col}, true // where text would go
	}
	if l := t.script.get(n); l != nil {
		col += l.cells
	}
	for r := 0; r < t.row; r++ {
		if t.main.rows[r].line == n {
			col += t.joinLen(r)
		}
	}
	return Position{Line: n, Offset: col}, true
}

// A kept line is the part of a line that is on the screen no more.
type keptLine struct {
	number int64
	text   []byte // as a person reads it
	cells  int
	rev    uint64
}

// A transcript keeps the text of lines that left the screen, in the order of
// their numbers. Numbers whose line is gone take no room.
type transcript struct {
	lines    ring[keptLine]
	first    int64 // what is kept begins here
	text     int64 // bytes of the lines kept, with a line feed for each
	dropped  int64 // the same for those dropped
	bytes    int   // memory
	maxLines int
	maxBytes int
}

func newTranscript(maxLines, maxBytes int) transcript {
	return transcript{maxLines: maxLines, maxBytes: maxBytes}
}

// end returns the number after the newest line kept.
func (s *transcript) end() int64 {
	if s.lines.n == 0 {
		return s.first
	}
	return s.lines.at(s.lines.n-1).number + 1
}

// find returns the index of the first kept line from number n on.
func (s *transcript) find(n int64) int {
	return sort.Search(s.lines.n, func(i int) bool { return s.lines.at(i).number >= n })
}

// get returns what is kept of line n, nil for nothing.
func (s *transcript) get(n int64) *keptLine {
	last := s.lines.n - 1 // most often it is the newest, or newer
	if last < 0 || s.lines.at(last).number < n {
		return nil
	}
	if s.lines.at(last).number == n {
		return s.lines.at(last)
	}
	if l := s.lines.at(s.find(n)); l.number == n {
		return l
	}
	return nil
}

// add puts text behind what is kept of line n.
func (s *transcript) add(n int64, text []byte, cells int, rev uint64) {
	if n < s.first {
		return
	}
	if l := s.get(n); l != nil {
		l.text = append(l.text, text...)
		l.cells += cells
		l.rev = max(l.rev, rev)
	} else {
		l := keptLine{n, text, cells, rev}
		if n >= s.end() {
			s.lines.push(l)
		} else { // only scrolling regions bring lines out of order
			s.lines.insert(s.find(n), l)
		}
		s.bytes += lineOverhead
		s.text++
	}
	s.bytes += len(text)
	s.text += int64(len(text))
	s.trim()
}

// forget takes back what is kept of the newest line, when that is line n: its
// rows are on the screen again.
func (s *transcript) forget(n int64) {
	if s.lines.n == 0 || s.lines.at(s.lines.n-1).number != n {
		return
	}
	l := s.lines.pop()
	s.bytes -= len(l.text) + lineOverhead
	s.text -= int64(len(l.text)) + 1
}

// trim drops the oldest lines while there is too much.
func (s *transcript) trim() {
	for s.lines.n > 0 && (s.lines.n > s.maxLines || s.bytes > s.maxBytes) {
		l := s.lines.shift()
		s.bytes -= len(l.text) + lineOverhead
		s.text -= int64(len(l.text)) + 1
		s.dropped += int64(len(l.text)) + 1
		s.first = l.number + 1
	}
}

// CutCells returns the bytes of text that come after its first n cells, counted
// as the Terminal counts widths. Combining characters go with the character
// they follow; a wide character that the cut would halve is left out whole.
func CutCells(text string, n int) string {
	if n <= 0 {
		return text
	}
	cells := 0
	for i, r := range text {
		w := runeWidth(r)
		if w > 0 && cells >= n {
			return text[i:]
		}
		cells += w
	}
	return ""
}

// Cells returns how many cells text takes, counted as the Terminal counts widths.
func Cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeWidth(r)
	}
	return n
}
