package text

import (
	"hash/fnv"
	"slices"
	"strings"
)

// A Line is one line as a reader may see it.
type Line struct {
	Number    int64
	ID        uint64 // stays the same when the line moves
	Text      string // without prompts and echoes
	HasInput  bool   // the line has prompts or echoes
	Shown     string // the text as the screen shows it; in the cursor's line, it keeps the blanks before the cursor
	OnlyInput bool   // the line has nothing but prompts and echoes
	Erased    bool   // the line was erased with the whole screen
	Last      bool   // the line is the last one; an empty last line is not output
	Cursor    bool   // the cursor is in the line; if the line is the last one, Text keeps the blanks before the cursor
	Grown     bool   // the line begins with Seen.Open; Added is the Text of the rest
	Added     string
	Style     uint64 // a hash of the line's style, while the line is on the screen

	Revision uint64 // the terminal's revision number after the last change of the line
}

// Seen is what a reader has seen of a terminal's lines. Its zero value has seen
// nothing.
type Seen struct {
	Line int64  // the number of the first line in Rows; all lines before it were seen or erased
	Rows []Row  // the lines from Line on, as last seen, in order
	Open string // the Shown, as last seen, of the line in which the cursor was; see Row.Open
}

// A Row is what a reader remembers of a line.
type Row struct {
	ID   uint64
	Hash uint64 // a hash of the text that the reader has seen; 0 if the reader has not seen the line
	Open bool   `json:",omitempty"` // the cursor was in the line
	Last bool   `json:",omitempty"` // the line was the terminal's last one

	Style uint64 `json:",omitempty"` // the line's Style when it was seen
}

// Unseen returns the lines that are new to the reader or have changed. If a line has only grown where
// the cursor was, Unseen returns the new part of the line. lines are all lines from s.Line on.
func (s *Seen) Unseen(lines []Line) []OutputLine {
	rows := s.rowsByID()
	var out []OutputLine
	firstMoved := len(lines) - s.countMoved(lines)
	blanks := 0         // number of lines that became blank since the last line of out
	onlyBlanks := false // all lines since the last line of out have become blank; false while out is empty
	for i, l := range lines {
		row, known := rows[l.ID]
		// When the reader got the line, it may not have been known that a part of the line is a prompt.
		same := known && (row.Hash == l.hash() || l.HasInput && row.Hash == hashOf(l.Shown))
		if row.Last && !l.Last && l.Text == "" {
			same, known = false, false // a new line: an empty last line was not output
		}
		switch {
		case same, l.Erased, row.Open && l.HasInput && StartsWith(s.Open, l.Text), l.OnlyInput, i >= firstMoved, l.Last && l.Text == "":
			blanks, onlyBlanks = 0, false
			continue
		case known && row.Hash != 0 && l.blank():
			blanks++
			continue
		case row.Open && l.Grown && l.Added == "":
			blanks, onlyBlanks = 0, false
			continue
		case row.Open && l.Grown:
			l.Text = l.Added
		}
		for ; onlyBlanks && blanks > 0; blanks-- {
			out = append(out, OutputLine{Number: l.Number - int64(blanks)})
		}
		blanks, onlyBlanks = 0, true
		out = append(out, OutputLine{l.Number, l.Text})
	}
	return out
}

// Restyled returns the lines whose style has changed and whose text has not, as when the highlight of a
// menu moves. It considers only the screen, which begins at line number screen. It leaves out blank lines,
// and lines with a prompt or an echo, because line editors colour typed text.
func (s *Seen) Restyled(lines []Line, screen int64) []OutputLine {
	rows := s.rowsByID()
	var out []OutputLine
	for _, l := range lines {
		row, known := rows[l.ID]
		same := known && row.Hash == l.hash() && !l.Erased
		whole := l.Number > screen || l.Style != 0 // else the line has partly scrolled away, and its style is not known
		if same && whole && row.Style != l.Style && l.Number >= screen && !l.HasInput && !l.blank() {
			out = append(out, OutputLine{l.Number, l.Text})
		}
	}
	return out
}

func (s *Seen) rowsByID() map[uint64]Row {
	rows := make(map[uint64]Row, len(s.Rows))
	for _, r := range s.Rows {
		rows[r.ID] = r
	}
	return rows
}

// StartsWith reports whether a line still begins with the given text. Trailing blanks of
// the given text may be missing, because the terminal does not store them.
func StartsWith(text, given string) bool {
	return strings.HasPrefix(text+strings.Repeat(" ", len(given)), given)
}

// countMoved returns how many of the last lines the reader has already seen further up, as when a program
// prints lines above its menu. If only one of them has text, the result is 0: that may be a coincidence.
func (s *Seen) countMoved(lines []Line) int {
	same := 0
	for same < len(s.Rows) && same < len(lines) && s.Rows[same].ID == lines[same].ID && s.Rows[same].Hash == lines[same].hash() {
		same++
	}
	others := s.Rows[same:]
	at := len(lines) - len(others)
	if at <= same {
		return 0
	}
	texts := 0
	for i, l := range lines[at:] {
		if others[i].Hash != l.hash() {
			return 0
		}
		if !l.blank() {
			texts++
		}
	}
	erased := map[uint64]bool{}
	for _, l := range lines[same:at] {
		erased[l.ID] = l.Erased
	}
	for _, r := range others {
		if erased[r.ID] {
			return 0 // after a clear, all text is new
		}
	}
	if texts < 2 {
		return 0
	}
	return len(others)
}

// MarkSeen records that the reader has seen the lines whose number is below to. Lines whose number is
// below screen can no longer change.
func (s *Seen) MarkSeen(lines []Line, to, screen int64) {
	s.record(lines, screen, func(l *Line) bool { return l.Number < to })
}

// MarkScreenSeen records that the reader has seen the lines from number screen on.
func (s *Seen) MarkScreenSeen(lines []Line, screen int64) {
	seenBefore := s.Line
	s.record(lines, screen, func(l *Line) bool { return l.Number < seenBefore || l.Number >= screen })
}

// record makes new rows for the lines that the reader saw, and keeps the rows of the other lines. It moves
// s.Line past the leading lines that were erased, or were seen and can no longer change.
func (s *Seen) record(lines []Line, screen int64, saw func(l *Line) bool) {
	rows := s.rowsByID()
	open := s.Open
	s.Rows, s.Open = nil, ""
	for _, l := range lines {
		seen := saw(&l)
		if len(s.Rows) == 0 && (l.Erased || seen && l.Number < screen) {
			s.Line = l.Number + 1
			continue
		}
		row := Row{ID: l.ID}
		if seen {
			row.Hash, row.Style, row.Open, row.Last = l.hash(), l.Style, l.Cursor, l.Last
			if l.Cursor {
				s.Open = l.Shown
			}
		} else {
			row = rows[l.ID]
			row.ID = l.ID
			if row.Open {
				s.Open = open
			}
		}
		s.Rows = append(s.Rows, row)
	}
}

// PullBack adds rows for lines before s.Line that can change again, because the terminal has
// grown and shows lines of its scrollback. The reader has seen these lines as they are. lines
// begins with the first of them.
func (s *Seen) PullBack(lines []Line) {
	var rows []Row
	for _, l := range lines {
		if l.Number < s.Line && !l.Erased {
			rows = append(rows, Row{ID: l.ID, Hash: l.hash(), Style: l.Style})
		}
	}
	if len(rows) > 0 {
		s.Line, s.Rows = lines[0].Number, append(rows, s.Rows...)
	}
}

// Forget removes the rows whose line no longer exists with the text that the reader has seen. It is
// called after a restart that has lost output, when lines may have other IDs.
func (s *Seen) Forget(lines []Line) {
	hashes := make(map[uint64]uint64, len(lines))
	for _, l := range lines {
		hashes[l.ID] = l.hash()
	}
	s.Rows = slices.DeleteFunc(s.Rows, func(r Row) bool { return r.Hash != hashes[r.ID] })
}

// blank reports whether the line shows nothing to a reader.
func (l *Line) blank() bool { return l.OnlyInput || strings.TrimRight(l.Text, " ") == "" }

// hash returns a hash of Text, never 0. All blank lines have the same hash.
func (l *Line) hash() uint64 {
	if l.blank() {
		return hashOf("")
	}
	return hashOf(l.Text)
}

// hashOf returns a hash of a line's text without trailing blanks, never 0.
func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.TrimRight(text, " ")))
	return max(h.Sum64(), 1)
}
