package guard

import (
	"strings"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/state"
)

// An Editing is the line that is being typed, where it begins on the screen, and what
// came before it. It is saved as it is.
type Editing struct {
	Line
	Past
	At      emulator.Position
	OnText  bool   // At is in the transcript
	Right   Text   // what stood right of the cursor and below it then: a right prompt, what a program left there
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

// Begin notes where a line begins as its first key comes, with what stands there already,
// and reads the line from the screen when keys have been typed whose effect was not
// foretold. stopped says that the output stands still: the screen shows less than there is.
// While the screen may still show the line before (Ended) nothing is read from it.
func (e *Editing) Begin(st *state.State, stopped bool) {
	if !e.Open {
		e.At, e.OnText = st.Term.CursorPosition()
		e.Sure, e.Ended, e.Right = true, e.Ended && !st.PromptIsNew(), nil
		if st.Pipe || st.FullScreen() || e.Ended {
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

// Unfinished returns the line that somebody has begun and not submitted, as far as it can
// be told; "" for none. A program may have taken keys without an Enter. What is hidden is
// not on the screen.
func (e *Editing) Unfinished(st *state.State, hidden bool) string {
	if !e.Open || st.Ended || st.FullScreen() {
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
		return typed // in a field, beside which the cursor stands
	}
	return ""
}

// onScreen returns the line that is being edited, from the screen, what stands beside it
// since before it began, and where the cursor is in it.
func (e *Editing) onScreen(st *state.State) (line, beside Text, cursor int) {
	shown, cursor := st.EditedLine(e.At, e.OnText)
	line = Text(shown)
	end := len(line) - commonEnd(line[cursor:], e.Right)
	return line[:end:end], line[end:], cursor
}
