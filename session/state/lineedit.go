package state

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// maxPromptLines bounds the lines of a prompt that a line editor draws.
const maxPromptLines = 4

// A LineEdit is the place where a line editor has taken over the terminal, before it drew
// its prompt: readline and others switch bracketed paste on at that moment (xterm, DECSET
// 2004). The place separates the prompt from text without a line end before it, shows where
// a prompt of several lines begins, and is known through ssh too.
type LineEdit struct {
	At  emulator.Position
	Set bool // nothing was typed since
}

// Editing reports whether a line editor has taken over, and nothing was typed since. A
// program that also asks for the mouse is not a line editor: fzf, for example.
func (s *State) Editing() bool {
	modes := s.Term.Modes()
	return s.Edit.Set && !s.Marks.Prompted && !s.Term.FullScreen() && modes.BracketedPaste && modes.Mouse == emulator.MouseOff
}

// HandedOver reports whether a line editor has given the terminal back since the
// last input.
func (s *State) HandedOver() bool {
	return s.Edit.Set || !s.Term.Modes().BracketedPaste
}

// LineEditor reports whether a line editor reads what is typed now: a shell, by its marks,
// or a program that has taken over the terminal at a known prompt. A line editor may get
// all of an input at once.
func (s *State) LineEditor() bool {
	return s.Marks.Prompted && !s.Term.FullScreen() || s.Editing() && s.AtPrompt()
}

// AtPrompt reports whether the cursor is visible and follows a known prompt: what is typed
// there is text.
func (s *State) AtPrompt() bool {
	_, known := s.LearnedPrompt(s.AtCursor())
	return known && s.Term.Cursor().Visible
}

// PromptEdit returns where the prompt before the cursor begins, if a line editor shows that
// and marks do not.
func (s *State) PromptEdit() (emulator.Position, bool) {
	at := s.Edit.At
	pos, ok := s.Term.CursorPosition()
	if !s.Editing() {
		return at, false
	}
	// zsh takes over only after it has drawn the prompt.
	return at, ok && at.Before(pos) && pos.Line-at.Line < maxPromptLines
}

// Edited reports whether the prompt at a cell of the cursor's line is one that a line
// editor has drawn from there.
func (s *State) Edited(cell int) bool {
	at, ok := s.PromptEdit()
	pos, _ := s.Term.CursorPosition()
	return ok && at == emulator.Position{Line: pos.Line, Offset: cell}
}

// leaveUpper marks the upper lines of a confirmed prompt as not output.
func (s *State) leaveUpper() {
	at, ok := s.PromptEdit()
	if pos, _ := s.Term.CursorPosition(); ok && at.Line < pos.Line {
		s.Echoes.Mark(s.Term, text.SpansBetween(at, emulator.Position{Line: pos.Line}, false)...)
	}
}
