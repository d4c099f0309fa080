package state

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// LineClipped reports whether a line editor shows only a part of its line because it
// scrolls sideways. Where there is more, readline's horizontal-scroll-mode and zsh's
// SINGLE_LINE_ZLE put < into the first column, or > into the last.
func (s *State) LineClipped() bool {
	if s.Term.FullScreen() {
		return false
	}
	row := s.Term.RowText(s.Term.Cursor().Row)
	return strings.HasPrefix(row, "<") && s.Prompts.Prefix(row) == 0 || len([]rune(row)) >= s.Term.Size().Cols-1 && strings.HasSuffix(row, ">")
}

// maxOnScreen bounds the line that is read from the screen, in cells.
const maxOnScreen = 64 << 10

// A search of the history shows the line that it has found. readline shows the line after
// "(reverse-i-search)`x': ", in place of the prompt; zsh and fish show it above a line with
// the search text.
var (
	searchBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\((?:failed )?(?:reverse-)?i-search\\)`[^\n]*': ") })
	searchBelow  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\n(?:failing )?(?:(?:bck|fwd)-i-)?search: [^\n]*(?:\n *► [^\n]*)*$`)
	})
)

// EditedLine reads the line that is being edited from the screen, and returns it with the
// cursor's place in it. The line begins at from if that is known.
func (s *State) EditedLine(from emulator.Position, known bool) ([]rune, int) {
	cursor, onText := s.Term.CursorPosition()
	if !onText || s.Term.FullScreen() {
		return []rune(s.cursorRow()), 0
	}
	if !known {
		from = emulator.Position{Line: cursor.Line}
	}
	if k := &s.Marks; k.Prompted && !k.End.At.Before(emulator.Position{Line: from.Line}) {
		from = k.End.At
	}
	if cursor.Before(from) {
		from = emulator.Position{Line: cursor.Line}
	}
	text := s.Text(from, emulator.Position{Line: s.Term.EndLine(), Offset: maxOnScreen})
	whole := s.Text(emulator.Position{Line: cursor.Line}, emulator.Position{Line: s.Term.EndLine(), Offset: maxOnScreen})
	if at := searchBelow().FindStringIndex(text); at != nil {
		text = strings.TrimSpace(text[:at[0]])
	} else if at := searchBefore().FindStringIndex(whole); at != nil {
		text = strings.TrimSpace(whole[at[1]:])
	}
	line := []rune(text)
	before := len([]rune(s.Text(from, cursor)))
	return line, min(before, len(line))
}

// cursorRow returns the row of the cursor without the prompt before it.
func (s *State) cursorRow() string {
	row := s.Term.RowText(s.Term.Cursor().Row)
	if n := s.Prompts.Prefix(row + " "); n > 0 {
		return text.Cut(row, n)
	}
	if at := strings.LastIndexAny(row, "$#%>❯"); at >= 0 && !strings.HasPrefix(row, ":") {
		return strings.TrimLeft(row[at:], "$#%>❯ ")
	}
	return row
}

// VisibleText returns the text on the screen, with its secrets. It is for comparisons only.
func (s *State) VisibleText() string { return s.Term.Text() }

// AtCursor returns the text left of the cursor in its line, blanks
// included, "" in a full-screen program.
func (s *State) AtCursor() string {
	before, _ := s.AroundCursor()
	return before
}

// AroundCursor returns what AtCursor does, and reports whether the cursor is on a
// character.
func (s *State) AroundCursor() (before string, on bool) {
	pos, ok := s.Term.CursorPosition()
	line := ""
	switch lines := s.Term.Lines(pos.Line, pos.Line+1); {
	case !ok && s.Term.FullScreen():
		return "", false
	case !ok:
		// The program draws its rows itself, as bpython does; they are not lines.
		at := s.Term.Cursor()
		pos.Offset, line = at.Col, s.Term.RowText(at.Row)
	case len(lines) > 0:
		line = lines[0].Text
	}
	rest := emulator.CutCells(line, pos.Offset)
	return text.UpTo(line, pos.Offset), rest != "" && rest[0] != ' '
}

// Answered returns how many bytes the child has written since the last input. A line feed
// alone counts as 0: a program writes it when it has read a secret, before it answers.
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
