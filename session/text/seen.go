package text

import (
	"hash/fnv"
	"slices"
	"strings"
)

// A Line is one line as a reader may see it.
type Line struct {
	Number int64
	ID     uint64 // follows the line where it moves
	Text   string // without prompts and echoes
	Cut    bool   // the line has prompts or echoes
	Full   string // with Cut: the text with prompts and echoes
	Quiet  bool   // it has nothing but prompts and echoes
	Erased bool   // a clear of the whole screen has erased it
	Last   bool   // nothing follows it: while it is empty it does not count as a line
	Cursor bool   // the cursor stands in it; Text has the blanks before the cursor
	Whole  string // of the cursor's line: the text with prompts and echoes, up to the cursor
	Grown  bool   // it begins with Seen.Open, and Added is the Text of what follows
	Added  string
	Style  uint64 // a hash of its rendition, while it is on the screen

	Revision uint64 // the last revision that changed it
}

// Seen is what a reader has seen of a terminal's lines. Its zero value has seen
// nothing.
type Seen struct {
	Line int64  // earlier lines are done with
	Rows []Row  // the lines from there on, as last seen, in order
	Open string // the text, up to the cursor, of the line in which the cursor was
}

// A Row is a line that a reader has seen or knows of.
type Row struct {
	ID   uint64
	Hash uint64 // of its text as the reader has seen it; 0: not seen
	Open bool   `json:",omitempty"` // the cursor was in it
	Last bool   `json:",omitempty"` // nothing followed it

	Style uint64 `json:",omitempty"` // of its rendition when seen
}

// Unseen returns the lines that are new to the reader or have changed; of a line that has
// only grown at the cursor, it returns the new part. lines are all lines from s.Line on.
func (s *Seen) Unseen(lines []Line) []Line {
	known := s.known()
	var out []Line
	moved := len(lines) - s.moved(lines)
	blanks := 0  // lines that became blank between the last line of out and this one
	run := false // these directly follow the last line of out
	for i, l := range lines {
		row, was := known[l.ID]
		// The reader may have got the line before a part of it was known to be a prompt.
		same := was && (row.Hash == l.hash() || l.Cut && row.Hash == hashOf(l.Full))
		if row.Last && !l.Last && l.Text == "" {
			same, was = false, false // it was no line yet, and is an empty line now
		}
		switch {
		case same, l.Erased, row.Open && l.Cut && StartsWith(s.Open, l.Text), l.Quiet, i >= moved, l.Last && l.Text == "":
			blanks, run = 0, false
			continue
		case was && row.Hash != 0 && l.blank():
			blanks++
			continue
		case row.Open && l.Grown && l.Added == "":
			blanks, run = 0, false
			continue
		case row.Open && l.Grown:
			l.Text = l.Added
		}
		for ; run && blanks > 0; blanks-- {
			out = append(out, Line{Number: l.Number - int64(blanks)})
		}
		blanks, run = 0, true
		out = append(out, l)
	}
	return out
}

// Restyled returns the lines from number screen on whose rendition has changed and whose
// text has not: a highlight has moved. Lines with a prompt or an echo are left out, because
// line editors colour typed text.
func (s *Seen) Restyled(lines []Line, screen int64) []Line {
	known := s.known()
	var out []Line
	for _, l := range lines {
		row, was := known[l.ID]
		same := was && row.Hash == l.hash() && !l.Erased
		whole := l.Number > screen || l.Style != 0 // the terminal does not know the style of a line that has partly scrolled away
		if same && whole && row.Style != l.Style && l.Number >= screen && !l.Cut && !l.blank() {
			out = append(out, l)
		}
	}
	return out
}

// known returns the reader's rows by their IDs.
func (s *Seen) known() map[uint64]Row {
	known := make(map[uint64]Row, len(s.Rows))
	for _, r := range s.Rows {
		known[r.ID] = r
	}
	return known
}

// StartsWith reports whether a line still begins with the given text. Trailing blanks of
// the given text may be missing, because the terminal does not store them.
func StartsWith(text, given string) bool {
	return strings.HasPrefix(text+strings.Repeat(" ", len(given)), given)
}

// moved returns how many of the last lines are the lines that the reader saw last, moved
// down as a whole: a program has printed lines above its menu. A single line does not
// count, as it may be a coincidence.
func (s *Seen) moved(lines []Line) int {
	same := 0
	for same < len(s.Rows) && same < len(lines) && s.Rows[same].ID == lines[same].ID && s.Rows[same].Hash == lines[same].hash() {
		same++
	}
	old := s.Rows[same:]
	at := len(lines) - len(old)
	if at <= same {
		return 0
	}
	texts := 0
	for i, l := range lines[at:] {
		if old[i].Hash != l.hash() {
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
	for _, r := range old {
		if erased[r.ID] {
			return 0 // after a clear, all text is new
		}
	}
	if texts < 2 {
		return 0
	}
	return len(old)
}

// Take notes that the reader has seen the lines before number to; the lines before number
// screen can no longer change.
func (s *Seen) Take(lines []Line, to, screen int64) {
	s.take(lines, screen, func(l *Line) bool { return l.Number < to })
}

// TakeScreen notes that the reader has seen the lines from number screen on.
func (s *Seen) TakeScreen(lines []Line, screen int64) {
	done := s.Line
	s.take(lines, screen, func(l *Line) bool { return l.Number < done || l.Number >= screen })
}

// take notes which lines the reader has seen. What it knows of the other lines stays.
func (s *Seen) take(lines []Line, screen int64, saw func(l *Line) bool) {
	known := s.known()
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
				s.Open = l.Whole
			}
		} else {
			row = known[l.ID]
			row.ID = l.ID
			if row.Open {
				s.Open = open
			}
		}
		s.Rows = append(s.Rows, row)
	}
}

// PullBack notes that lines the reader was done with are on the screen again, where they
// can change: a terminal that has grown shows rows of its history. lines begin with the
// first of these lines; the reader has seen them as they are.
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

// Forget removes the rows that do not match lines: another server has numbered them
// differently.
func (s *Seen) Forget(lines []Line) {
	same := make(map[uint64]uint64, len(lines))
	for _, l := range lines {
		same[l.ID] = l.hash()
	}
	s.Rows = slices.DeleteFunc(s.Rows, func(r Row) bool { return r.Hash != same[r.ID] })
}

// blank reports whether the line shows nothing to a reader.
func (l *Line) blank() bool { return l.Quiet || strings.TrimRight(l.Text, " ") == "" }

// hash returns a hash of the visible text, never 0.
func (l *Line) hash() uint64 {
	if l.blank() {
		return hashOf("")
	}
	return hashOf(l.Text)
}

// hashOf returns a hash of a line's text, never 0.
func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.TrimRight(text, " ")))
	return max(h.Sum64(), 1)
}
