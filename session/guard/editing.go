package guard

import (
	"slices"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/state"
)

// An Editing is the line that is being typed, its position on the screen, and the effects of earlier
// lines. It is encoded as JSON.
type Editing struct {
	Line
	Past
	At      emulator.Position // where the line begins
	OnText  bool              // At is in a line of text; false where a program draws the rows itself
	Right   Text              // the text right of the cursor and below it when the line began, as a right prompt
	Group   int               // the process group for which the line was begun; 0 if not known
	Inputs  int64             // State.Inputs at the last time when all earlier lines had run (Ahead was empty)
	Version uint64            // increases with every change of the line by an input
}

// Restored returns e as it is after a restart of the server. A line that was being typed must be read
// from the screen, because e may lack the last keys.
func (e Editing) Restored() Editing {
	e.Known, e.Readable, e.Drawn = e.Known && !e.Open, e.Readable || e.Open, nil
	return e
}

// Clone returns a copy whose Text can be changed, see Line.Clone.
func (e Editing) Clone() Editing {
	e.Line = e.Line.Clone()
	return e
}

// Begin is called before an input is judged or typed. Before the first key of a line, it records where
// the line begins and the text that is already there; it does not record the text on pipes, in full-screen
// programs, or while the screen may still show the previous line (Ended). After the first key, if the line
// is not Known and the screen is up to date (Readable), Begin reads the line from the screen. stopped
// reports that ctrl+s has stopped the output: the screen may be out of date. After an Enter that may only
// have ended a search (Recalls), the same line continues if the cursor is still in it. If the program
// waits for input again, or shows a new prompt, Begin clears Ahead.
func (e *Editing) Begin(st *state.State, stopped bool) {
	waits := st.Verdict.Inputs == st.Inputs && (st.Reason == detect.Prompt || st.Reason == detect.AwaitingInput)
	if st.Inputs > e.Inputs && (waits || st.PromptIsNew()) {
		e.Ahead = ""
	}
	if e.Ahead == "" {
		e.Inputs = st.Inputs
	}
	if at, onText := st.Term.CursorPosition(); !e.Open && !e.Known && onText && e.OnText && at.Line == e.At.Line {
		if !e.Readable {
			return // the program may not have handled the Enter
		}
		e.Open, e.Recalls = true, true
	}
	if !e.Open {
		e.At, e.OnText = st.Term.CursorPosition()
		e.Known, e.ViKey, e.Ended, e.Right, e.PromptTail, e.NotOnScreen = true, 0, e.Ended && !st.PromptIsNew(), nil, "", false
		if st.Pipe || st.Term.FullScreen() || e.Ended {
			return
		}
		line, _ := e.onScreen(st)
		e.Right = line.Text[line.Cursor:]
		if st.Marks.Prompted {
			e.PromptTail = string(line.Text[:line.Cursor])
			e.Clipped, e.NotOnScreen = stopped || line.Clipped && e.PromptTail != "", !strings.HasSuffix("\n"+e.PromptTail, "\n")
		}
		return
	}
	e.compareScreen(st)
	if !e.Known && e.Readable {
		line, after := e.onScreen(st)
		e.Text, e.AfterLine, e.Cursor = line.Text, after, line.Cursor
		e.Known, e.FromScreen, e.Clipped = true, true, line.Clipped || e.Discarded || e.NotOnScreen || stopped
	}
}

// RecordDrawn records what the screen shows of the line when a line editor has handled all keys.
// If the line on the screen changes between now and the next key, another program has changed it.
func (e *Editing) RecordDrawn(st *state.State) {
	e.compareScreen(st)
	line, _ := e.onScreen(st)
	e.Drawn, e.Readable = &line, false // after the next keys, the line must be read again
}

// compareScreen records whether the screen shows the typed keys, and whether another program has drawn in
// the line since RecordDrawn. Different text after the cursor may be a shell's suggestion. A key that
// prints nothing may have recalled a line, unless the shell has run nothing yet.
func (e *Editing) compareScreen(st *state.State) {
	switch silent := st.Raw.Total == st.Last.Offset; {
	case !silent:
		e.Echoed, e.RecallUnseen = true, false
	case e.Echoed || !e.Readable:
	case len(e.Text) > 0:
		e.NotOnScreen = true
	case e.Recalls && e.ViKey != escapeKey && !st.RanNothing():
		e.RecallUnseen = true
	}
	if e.Drawn == nil {
		return
	}
	line, _ := e.onScreen(st)
	same := line.Cursor == e.Drawn.Cursor && slices.Equal(line.Text[:line.Cursor], e.Drawn.Text[:line.Cursor])
	if suggests := e.Known && !e.FromScreen && e.Cursor == len(e.Text); same && suggests {
		e.Right = line.Text[line.Cursor:]
	} else if !same || !slices.Equal(line.Text, e.Drawn.Text) {
		e.NotOnScreen, e.Clipped = true, e.Clipped || e.FromScreen
	}
}

// SetForeground records the foreground process group. If the line was begun for another group, that group
// may have read some of the line, and the rest must be read from the screen. There is no rest if the
// terminal has discarded the line, as it does when ctrl+z stops a program.
func (e *Editing) SetForeground(group int) {
	switch {
	case !e.Open || e.Group == 0 || group == e.Group:
	case e.Discarded && len(e.Text) == 0:
		e.Clear()
	default:
		e.Known, e.Readable, e.OnText, e.Drawn = false, false, false, nil
	}
	e.Group = group
}

// commonEnd returns the number of characters that a and b have in common at their ends.
func commonEnd(a, b Text) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// Unfinished returns the known part of a line that was begun and not submitted, or "" if there is none.
// If the screen should show the line and does not show the typed keys, it returns "": a program may have
// read them without an Enter. On pipes, or if hidden is true, the screen need not show the line.
func (e *Editing) Unfinished(st *state.State, hidden bool) string {
	if !e.Open || st.Ended || st.Term.FullScreen() {
		return ""
	}
	typed := strings.TrimSpace(string(e.Text))
	if hidden || st.Pipe {
		return typed
	}
	line, _ := e.onScreen(st)
	cursor, onText := st.Term.CursorPosition()
	switch {
	case st.Marks.Prompted || !e.Known:
		return strings.TrimSpace(string(line.Text))
	case strings.HasSuffix(strings.TrimRight(st.AtCursor(), " "), typed):
		return typed
	case onText == e.OnText && cursor.Line == e.At.Line && strings.Contains(st.VisibleText(), typed):
		return typed // in an input field next to the cursor
	}
	return ""
}

// onScreen returns the line that is being edited, as the screen shows it. after is the text that follows
// the line; it was on the screen before the line began, and is not part of the line.
func (e *Editing) onScreen(st *state.State) (line state.EditedLine, after Text) {
	line = st.EditedLine(e.At, e.OnText)
	end := len(line.Text) - commonEnd(line.Text[line.Cursor:], e.Right)
	line.Text, after = line.Text[:end:end], line.Text[end:]
	return line, after
}
