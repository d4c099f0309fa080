package session

import "github.com/glasstty/glasstty/emulator"

// maxPromptLines bounds how far above the cursor a prompt begins that a line editor
// has drawn.
const maxPromptLines = 4

// A lineEdit is where a line editor has taken over the terminal, before it drew its
// prompt: readline and its kin switch bracketed paste on then (xterm, DECSET 2004).
// That tells the prompt from text without line end before it, and where it has more
// lines than one; also through ssh, where nothing else does.
type lineEdit struct {
	at  emulator.Position
	set bool // and nothing was typed since
}

// editingLocked reports whether a line editor has taken over, and nothing was typed
// since.
func (s *Session) editingLocked() bool {
	return s.edit.set && !s.marks.prompted && !s.fullScreenLocked() && s.term.Modes().BracketedPaste
}

// promptEditLocked returns where the prompt before the cursor begins, when a line
// editor has told and marks have not.
func (s *Session) promptEditLocked() (emulator.Position, bool) {
	at := s.edit.at
	pos, ok := s.term.CursorPosition()
	if !s.editingLocked() {
		return at, false
	}
	// zsh takes over only after it has drawn the prompt.
	return at, ok && at.Before(pos) && pos.Line-at.Line < maxPromptLines
}

// editedLocked reports whether the prompt at a cell of the cursor's line is one that a line
// editor has drawn from there.
func (s *Session) editedLocked(cell int) bool {
	at, ok := s.promptEditLocked()
	pos, _ := s.term.CursorPosition()
	return ok && at == emulator.Position{Line: pos.Line, Offset: cell}
}

// leaveUpperLocked marks the lines of a prompt above the cursor's, which is confirmed
// now, as no output.
func (s *Session) leaveUpperLocked() {
	at, ok := s.promptEditLocked()
	if pos, _ := s.term.CursorPosition(); ok && at.Line < pos.Line {
		s.echoes.mark(spansBetween(at, emulator.Position{Line: pos.Line}, false)...)
	}
}
