package state

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// maxPromptLines bounds how far above the cursor a prompt begins that a line editor
// has drawn.
const maxPromptLines = 4

// A LineEdit is where a line editor has taken over the terminal, before it drew its
// prompt: readline and its kin switch bracketed paste on then (xterm, DECSET 2004).
// That tells the prompt from text without line end before it, and where it has more
// lines than one; also through ssh, where nothing else does.
type LineEdit struct {
	At  emulator.Position
	Set bool // and nothing was typed since
}

// Editing reports whether a line editor has taken over, and nothing was typed
// since. A program that also asks for the mouse has more than a line, as fzf has.
func (s *State) Editing() bool {
	modes := s.Term.Modes()
	return s.Edit.Set && !s.Marks.Prompted && !s.FullScreen() && modes.BracketedPaste && modes.Mouse == emulator.MouseOff
}

// HandedOver reports whether a line editor has given the terminal back since the
// last input.
func (s *State) HandedOver() bool {
	return s.Edit.Set || !s.Term.Modes().BracketedPaste
}

// LineEditor reports whether what is typed now is read by a line editor, which
// takes what comes at once as well as keys one by one: a shell by its marks, or what
// has taken over the terminal at a prompt that is known.
func (s *State) LineEditor() bool {
	return s.Marks.Prompted && !s.FullScreen() || s.Editing() && s.AtPrompt()
}

// AtPrompt reports whether the cursor is to be seen behind a prompt that is
// known: what is typed there is text.
func (s *State) AtPrompt() bool {
	_, known := s.LearnedPrompt(s.AtCursor())
	return known && s.Term.Cursor().Visible
}

// PromptEdit returns where the prompt before the cursor begins, when a line
// editor has told and marks have not.
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

// leaveUpper marks the lines of a prompt above the cursor's, which is confirmed
// now, as no output.
func (s *State) leaveUpper() {
	at, ok := s.PromptEdit()
	if pos, _ := s.Term.CursorPosition(); ok && at.Line < pos.Line {
		s.Echoes.Mark(s.Term, text.SpansBetween(at, emulator.Position{Line: pos.Line}, false)...)
	}
}
