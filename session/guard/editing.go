package guard

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/state"
)

// An Editing is the line that is being typed, its place on the screen, and the lines before
// it. It is encoded as JSON.
type Editing struct {
	Line
	Past
	At      emulator.Position
	OnText  bool   // At is in a line of text
	Right   Text   // the text right of the cursor and below it when the line began: a right prompt, or a program's earlier output
	Version uint64 // grows with every input
}

// Restored returns a line that was saved, see Line.Restored.
func (e Editing) Restored() Editing {
	e.Line = e.Line.Restored()
	return e
}

// Clone returns a copy whose line shares nothing with e's.
func (e Editing) Clone() Editing {
	e.Line = e.Line.Clone()
	return e
}

// Begin records where a line begins, with the text that is there already, before its first
// key is typed. Later it reads the line from the screen if keys were typed whose effect was
// not predicted. stopped says that the output is stopped, so that the screen may be out of
// date. While the screen may still show the line before (Ended), Begin reads nothing from
// it.
func (e *Editing) Begin(st *state.State, stopped bool) {
	if !e.Open {
		e.At, e.OnText = st.Term.CursorPosition()
		e.Sure, e.Ended, e.Right = true, e.Ended && !st.PromptIsNew(), nil
		if st.Pipe || st.Term.FullScreen() || e.Ended {
			return
		}
		line, _, cursor := e.onScreen(st)
		e.Right = line[cursor:]
		if st.Marks.Prompted {
			e.Text, e.Cursor, e.Clipped = line[:cursor:cursor], cursor, st.LineClipped() || stopped
		}
		return
	}
	if !e.Sure && e.Read {
		e.Text, e.Beside, e.Cursor = e.onScreen(st)
		e.Sure, e.Clipped = true, st.LineClipped() || e.Flushed || stopped
	}
}

// commonEnd returns how many characters a and b have in common at their ends.
func commonEnd(a, b Text) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Unfinished returns the line that somebody has begun and not submitted, as far as it is
// known; "" for none. A program may have read keys without an Enter. A hidden line is not
// on the screen.
func (e *Editing) Unfinished(st *state.State, hidden bool) string {
	if !e.Open || st.Ended || st.Term.FullScreen() {
		return ""
	}
	typed := strings.TrimSpace(string(e.Text))
	if hidden || st.Pipe {
		return typed
	}
	shown, _, _ := e.onScreen(st)
	cursor, onText := st.Term.CursorPosition()
	switch {
	case st.Marks.Prompted || !e.Sure:
		return strings.TrimSpace(string(shown))
	case strings.HasSuffix(strings.TrimRight(st.AtCursor(), " "), typed):
		return typed
	case onText == e.OnText && cursor.Line == e.At.Line && strings.Contains(st.VisibleText(), typed):
		return typed // in a field, next to which the cursor is
	}
	return ""
}

// onScreen returns the line that is being edited, as the screen shows it, the text after it
// that was there before, and the cursor's place in the line.
func (e *Editing) onScreen(st *state.State) (line, beside Text, cursor int) {
	shown, cursor := st.EditedLine(e.At, e.OnText)
	line = Text(shown)
	end := len(line) - commonEnd(line[cursor:], e.Right)
	return line[:end:end], line[end:], cursor
}
