package state

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// mayBeClipped reports whether the screen may show only a part of a line, or other characters than
// the line has. That is so if the screen is too low, if a line editor scrolls sideways, if the line
// fills the screen, or if the terminal does not show text as it is written. A line editor that scrolls
// sideways puts one of scrollSigns into the first or the last column. A line that fills the screen is
// whole if the last input began at from, and the program has since written only the text of the line.
func (s *State) mayBeClipped(from emulator.Position, line string) bool {
	size, at := s.Term.Size(), s.Term.Cursor()
	row := s.Term.RowText(at.Row)
	switch {
	case size.Rows < minRows, !s.Term.PrintsLiterally():
		return true
	case from.Line <= s.Term.FirstScreenLine() && s.reachesBottom(from.Line):
		written := s.Raw.Since(s.Last.Offset)
		return s.Last.At != from || strings.TrimSpace(string(written)) != strings.TrimSpace(line)
	}
	last := len([]rune(row)) - 1
	return strings.HasPrefix(row, "<") && s.Prompts.Prefix(row) == 0 || last >= size.Cols-2 && at.Col < last && strings.ContainsAny(row[len(row)-1:], scrollSigns)
}

// scrollSigns are the signs of readline's horizontal-scroll-mode, zsh's SINGLE_LINE_ZLE, ksh and
// mksh for a line that continues to the left, to the right, or on both sides.
const scrollSigns = "<>*+"

// reachesBottom reports whether a line may have reached the last row of the screen. If it has, line
// editors scroll its beginning away.
func (s *State) reachesBottom(number int64) bool {
	size := s.Term.Size()
	return emulator.TextWidth(s.Term.LineText(number)) > (size.Rows-1)*size.Cols || s.Term.RowText(size.Rows-1) != ""
}

// minRows is the smallest number of rows from which the line in a line editor can be read.
const minRows = 3

// maxOnScreen limits the bytes of the line that EditedLine reads, and the cells of its last row.
const maxOnScreen = 64 << 10

// searchBefore and searchBelow match what a line editor shows around the line that a search of the
// history has found. readline puts "(reverse-i-search)`x': " before that line, in place of the prompt.
// zsh and fish put a line with the search text below it.
var (
	searchBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^\\((?:failed )?(?:reverse-)?i-search\\)`[^\n]*': ") })
	searchBelow  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\n(?:failing )?(?:(?:bck|fwd)-i-)?search: [^\n]*(?:\n *► [^\n]*)*$`)
	})
)

// An EditedLine is the line that is being edited, as the screen shows it.
type EditedLine struct {
	Text    []rune
	Cursor  int  // index in Text
	Clipped bool // the line may be longer than Text, or differ from it
}

// EditedLine reads the line that is being edited from the screen. The line begins at from if known is
// true, otherwise at the start of the cursor's line; a prompt there that the shell has marked is left
// out. In a program that draws its rows itself, the line is the cursor's row without the prompt.
func (s *State) EditedLine(from emulator.Position, known bool) EditedLine {
	cursor, onText := s.Term.CursorPosition()
	if !onText || s.Term.FullScreen() {
		return s.cursorRow()
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
	end := emulator.Position{Line: s.Term.EndLine(), Offset: maxOnScreen}
	text := s.textBetween(from, end, maxOnScreen)
	whole := s.textBetween(emulator.Position{Line: cursor.Line}, end, maxOnScreen)
	if at := searchBelow().FindStringIndex(text); at != nil {
		text = strings.TrimSpace(text[:at[0]])
	} else if at := searchBefore().FindStringIndex(whole); at != nil {
		text = strings.TrimSpace(whole[at[1]:])
	}
	before := s.textBetween(from, cursor, maxOnScreen)
	if after, ok := strings.CutPrefix(text, before); ok {
		before += strings.Repeat(" ", s.blanksBefore(cursor, from))
		text = before + after
	}
	line := []rune(text)
	return EditedLine{line, min(len([]rune(before)), len(line)), s.mayBeClipped(from, text)}
}

// blanksBefore returns the number of blanks between the end of the cursor's line and the cursor. The
// line's text does not contain these blanks. It counts only blanks after from.
func (s *State) blanksBefore(cursor, from emulator.Position) int {
	end := emulator.TextWidth(s.Term.LineText(cursor.Line))
	if from.Line == cursor.Line {
		end = max(end, from.Offset)
	}
	return max(cursor.Offset-end, 0)
}

// cursorRow returns the row of the cursor without the prompt before it, as a line.
func (s *State) cursorRow() EditedLine {
	at := s.Term.Cursor()
	row := s.Term.RowText(at.Row)
	after := emulator.CutCells(row, at.Col)
	rest := s.withoutPrompt(text.UpTo(row, at.Col) + after)
	if next, ok := strings.CutPrefix(rest, "^D"); ok {
		// The program that was typed to has ended at ctrl+d, and another prompt follows in its row.
		rest = s.withoutPrompt(next)
	}
	line := []rune(rest)
	return EditedLine{Text: line, Cursor: max(len(line)-len([]rune(after)), 0)}
}

// withoutPrompt returns a row without the prompt, which is learned or ends with one of PromptSigns.
func (s *State) withoutPrompt(row string) string {
	if n := s.Prompts.Prefix(row + " "); n > 0 {
		return text.DropBytes(row, n)
	}
	if strings.HasPrefix(row, ":") || strings.HasPrefix(row, "!") { // the command line of an editor or a pager
		return row
	}
	if at := promptSign().FindStringIndex(row + " "); at != nil {
		return text.DropBytes(row, at[1])
	}
	return row[strings.LastIndexAny(row, asciiPromptSigns)+1:]
}

// PromptSigns are the characters with which the prompts of shells end.
const (
	PromptSigns      = asciiPromptSigns + "❯"
	asciiPromptSigns = "$#%>"
)

// promptSign matches PromptSigns with the blanks that follow.
var promptSign = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[" + PromptSigns + "]+ +") })

// VisibleText returns the text on the screen, including secrets. Use it only for comparisons.
func (s *State) VisibleText() string { return s.Term.Text() }

// AtCursor returns the text left of the cursor in its line, including blanks, or "" in a
// full-screen program.
func (s *State) AtCursor() string {
	before, _ := s.AroundCursor()
	return before
}

// AroundCursor returns the text that AtCursor returns. on reports whether the cursor is on a
// character other than a blank; it is false in a full-screen program.
func (s *State) AroundCursor() (before string, on bool) {
	pos, ok := s.Term.CursorPosition()
	line := ""
	switch {
	case !ok && s.Term.FullScreen():
		return "", false
	case !ok:
		// The program draws its rows itself, as bpython does, so the rows are not lines.
		at := s.Term.Cursor()
		pos.Offset, line = at.Col, s.Term.RowText(at.Row)
	default:
		line = s.Term.LineText(pos.Line)
	}
	rest := emulator.CutCells(line, pos.Offset)
	return text.UpTo(line, pos.Offset), rest != "" && rest[0] != ' '
}

// AnswerBytes returns the number of bytes that the child has written since the last input. If the
// child has written only a line end, as programs do after reading a secret, it returns 0.
func (s *State) AnswerBytes() int64 {
	n := s.Raw.Total - s.Last.From
	if n > int64(len("\r\n")) {
		return n
	}
	if p := s.Raw.Since(s.Last.From); len(bytes.Trim(p, "\r\n")) == 0 {
		return 0
	}
	return n
}
