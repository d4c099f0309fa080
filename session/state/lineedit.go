package state

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// maxPromptLines limits the lines of a prompt that a line editor draws.
const maxPromptLines = 4

// A LineEdit is the position at which a line editor has taken over the terminal, usually before
// it drew its prompt: readline and others switch bracketed paste on at that moment (xterm, DECSET
// 2004). The position separates the prompt from text without a line end before the prompt, and
// shows where a prompt of several lines begins. It is known through ssh too.
type LineEdit struct {
	At    emulator.Position
	Set   bool // At is valid: nothing was typed since
	Drawn bool // the prompt is before At: zsh takes over only after it has drawn the prompt
}

// recordLineEdit records that a line editor has taken over at a position. It marks a prompt that the
// editor has already drawn there as not output. zsh may have drawn the same prompt once before,
// above its report on background jobs.
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

// Editing reports whether a line editor has taken over, no mark shows the end of its prompt, and
// nothing was typed since. A program that also uses the mouse, such as fzf, is not a line editor.
func (s *State) Editing() bool {
	modes := s.Term.Modes()
	return s.Edit.Set && !s.Marks.Prompted && !s.Term.FullScreen() && modes.BracketedPaste && modes.Mouse == emulator.MouseOff
}

// EditorReturned reports whether a line editor has taken over again since the last input, or none
// is active: bracketed paste is off.
func (s *State) EditorReturned() bool {
	return s.Edit.Set || !s.Term.Modes().BracketedPaste
}

// Submitting reports whether the shell's line editor may still redraw the line that the last input
// submitted, because the shell has not marked the command's output or another prompt yet. A line
// editor that takes over below the prompt has asked for more input.
func (s *State) Submitting() bool {
	k := &s.Marks
	marksOutput := k.RunOffset >= 0 || s.Cwd != "" // a shell whose marks are only in its prompt reports no directory
	asks := s.Edit.Set && k.End.At.Before(s.Edit.At)
	return k.Prompted && k.Started && k.Touched && !k.Weak && marksOutput && s.Last.Submitted && !asks && !s.Term.FullScreen()
}

// RanNothing reports whether the shell has marked a prompt and reported its directory, but no
// command yet.
func (s *State) RanNothing() bool {
	return s.Marks.Started && s.Marks.RunOffset < 0 && s.Cwd != ""
}

// LineEditor reports whether a line editor reads what is typed now: that of a shell, by its marks,
// or of a program that has taken over the terminal at a known prompt. A line editor can read a
// whole input at once.
func (s *State) LineEditor() bool {
	return s.Marks.Prompted && !s.Term.FullScreen() || s.Editing() && s.AtPrompt()
}

// AtPrompt reports whether the cursor is visible and follows a learned prompt. What is typed there
// is text.
func (s *State) AtPrompt() bool {
	_, known := s.LearnedPrompt(s.AtCursor())
	return known && s.Term.Cursor().Visible
}

// PromptEdit returns where the prompt before the cursor begins, if it is known from a line editor
// that has taken over, and not from marks.
func (s *State) PromptEdit() (emulator.Position, bool) {
	at := s.Edit.At
	pos, ok := s.Term.CursorPosition()
	return at, ok && s.Editing() && !s.Edit.Drawn && at.Before(pos) && pos.Line-at.Line < maxPromptLines
}

// PromptDrawnFrom reports whether the prompt at a cell of the cursor's line is one that a line
// editor has drawn from there.
func (s *State) PromptDrawnFrom(cell int) bool {
	at, ok := s.PromptEdit()
	pos, _ := s.Term.CursorPosition()
	return ok && at == emulator.Position{Line: pos.Line, Offset: cell}
}

// markUpperLines marks all lines but the last of a confirmed prompt as not output.
func (s *State) markUpperLines() {
	at, ok := s.PromptEdit()
	if pos, _ := s.Term.CursorPosition(); ok && at.Line < pos.Line {
		s.Echoes.Mark(s.Term, text.SpansBetween(at, emulator.Position{Line: pos.Line}, false)...)
	}
}
