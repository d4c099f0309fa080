package state

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// maxPromptLines is the greatest number of lines of a prompt that PromptEdit finds.
const maxPromptLines = 4

// A LineEdit is the position at which a line editor has taken over the terminal: readline and others
// switch bracketed paste on at that moment (xterm, DECSET 2004), usually before they draw the prompt.
// The position separates the prompt from text without a line end before the prompt, and
// shows where a prompt of several lines begins. It is known through ssh too.
type LineEdit struct {
	At    emulator.Position // the cursor's position at that moment
	Set   bool              // a line editor has taken over at At, and nothing was typed since
	Drawn bool              // the prompt is before At: zsh takes over only after it has drawn the prompt
}

// recordLineEdit records that a line editor has taken over at a position. If the editor has already
// drawn a prompt there, recordLineEdit marks the prompt as not output. zsh may also have drawn that
// prompt above its report on background jobs.
func (s *State) recordLineEdit(at emulator.Position) {
	prompt := s.textOfLine(at)
	start, known := s.Prompts.Match(prompt)
	s.Edit = LineEdit{At: at, Set: true, Drawn: known && start == 0}
	if !s.Edit.Drawn || s.Marks.Prompted {
		return
	}
	s.Echoes.Mark(s.Term, text.Span{Line: at.Line, To: at.Offset})
	before := emulator.Position{Line: s.Marks.Start.At.Line, Offset: at.Offset}
	if s.Marks.Started && before.Line < at.Line && s.textOfLine(before) == prompt {
		s.Echoes.Mark(s.Term, text.Span{Line: before.Line, To: at.Offset})
	}
}

// Editing reports whether a line editor has taken over, nothing was typed since, and no mark shows
// where its prompt ends. A program that also uses the mouse, such as fzf, is not a line editor.
func (s *State) Editing() bool {
	modes := s.Term.Modes()
	return s.Edit.Set && !s.Marks.Prompted && !s.Term.FullScreen() && modes.BracketedPaste && modes.Mouse == emulator.MouseOff
}

// EditorReturned reports whether a line editor has taken over since the last input, or bracketed
// paste is off, so that no line editor is active.
func (s *State) EditorReturned() bool {
	return s.Edit.Set || !s.Term.Modes().BracketedPaste
}

// Submitting reports whether the shell's line editor may still redraw the line that the last input
// submitted, because the shell has not marked the command's output or another prompt yet. If a line
// editor takes over below the prompt, it asks for more input, and Submitting returns false.
func (s *State) Submitting() bool {
	k := &s.Marks
	marksOutput := k.RunOffset >= 0 || s.Cwd != "" // a shell whose marks are only in its prompt reports no directory
	asks := s.Edit.Set && k.End.At.Before(s.Edit.At)
	return k.Prompted && k.Started && k.Touched && !k.Weak && marksOutput && s.Last.Submitted && !asks && !s.Term.FullScreen()
}

// RanNothing reports whether the shell has marked a prompt and reported its directory, but has not
// marked the output of any command.
func (s *State) RanNothing() bool {
	return s.Marks.Started && s.Marks.RunOffset < 0 && s.Cwd != ""
}

// LineEditor reports whether a line editor reads what is typed now: a shell's, by the shell's marks,
// or one that has taken over the terminal at a learned prompt. A line editor can read an input of any
// length at once.
func (s *State) LineEditor() bool {
	return s.Marks.Prompted && !s.Term.FullScreen() || s.Editing() && s.AtPrompt()
}

// AtPrompt reports whether the cursor is visible and follows a learned prompt. Keys that are typed
// there are text, not commands of a full-screen program.
func (s *State) AtPrompt() bool {
	_, known := s.LearnedPrompt(s.AtCursor())
	return known && s.Term.Cursor().Visible
}

// PromptEdit returns where the prompt before the cursor begins. It returns false unless a line editor
// has taken over there (Editing), at most maxPromptLines-1 lines above the cursor.
func (s *State) PromptEdit() (emulator.Position, bool) {
	at := s.Edit.At
	pos, ok := s.Term.CursorPosition()
	return at, ok && s.Editing() && !s.Edit.Drawn && at.Before(pos) && pos.Line-at.Line < maxPromptLines
}

// PromptDrawnFrom reports whether a line editor has taken over at a cell of the cursor's line, so that
// its prompt begins there.
func (s *State) PromptDrawnFrom(cell int) bool {
	at, ok := s.PromptEdit()
	pos, _ := s.Term.CursorPosition()
	return ok && at == emulator.Position{Line: pos.Line, Offset: cell}
}

// markUpperLines marks the lines of a confirmed prompt as not output, except the last line.
func (s *State) markUpperLines() {
	at, ok := s.PromptEdit()
	if pos, _ := s.Term.CursorPosition(); ok && at.Line < pos.Line {
		s.Echoes.Mark(s.Term, text.SpansBetween(at, emulator.Position{Line: pos.Line}, false)...)
	}
}
