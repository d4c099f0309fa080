package state

import (
	"bytes"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// FullScreen reports whether the program owns the screen.
func (s *State) FullScreen() bool {
	return s.Term.FullScreen()
}

// VisibleText returns the text on the screen.
func (s *State) VisibleText() string { return s.Term.Text() }

// AtCursor returns the text left of the cursor in its line, blanks
// included, "" in a full-screen program.
func (s *State) AtCursor() string {
	before, _ := s.AroundCursor()
	return before
}

// AroundCursor is AtCursor that also reports whether the cursor
// stands on a character.
func (s *State) AroundCursor() (before string, on bool) {
	pos, ok := s.Term.CursorPosition()
	line := ""
	switch lines := s.Term.Lines(pos.Line, pos.Line+1); {
	case !ok && s.FullScreen():
		return "", false
	case !ok:
		// The program places its rows itself, as bpython does; they are not lines.
		at := s.Term.Cursor()
		pos.Offset, line = at.Col, s.Term.RowText(at.Row)
	case len(lines) > 0:
		line = lines[0].Text
	}
	rest := emulator.CutCells(line, pos.Offset)
	return text.UpTo(line, pos.Offset), rest != "" && rest[0] != ' '
}

// Answered returns how many bytes the child has written since the last
// input, 0 while they are a line feed alone: with that a program ends the line
// in which it has read a secret, and has not answered yet.
func (s *State) Answered() int64 {
	n := s.Raw.Total - s.Last.From
	if n > int64(len("\r\n")) {
		return n
	}
	if p, _ := s.Raw.Since(s.Last.From); len(bytes.Trim(p, "\r\n")) == 0 {
		return 0
	}
	return n
}
