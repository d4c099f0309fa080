package state

import (
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/mask"
)

// shownLines holds lines of the terminal with and without their secrets.
type shownLines struct {
	Lines []emulator.Line // with their secrets
	Shown []emulator.Line // the same lines with secrets hidden
}

// Lines returns the terminal's lines with numbers from from to to-1.
func (s *State) Lines(from, to int64) shownLines {
	lines := s.Term.Lines(from, to)
	m := s.Mask
	if m == nil || len(lines) == 0 {
		return shownLines{lines, lines}
	}
	before := s.Term.Lines(from-mask.MinContext, from)
	if n := len(before); mask.MayBePrivateKey(lines[0].Text) || n > 0 && mask.MayBePrivateKey(before[n-1].Text) {
		before = s.Term.Lines(from-mask.MaxContext, from)
	}
	texts := make([]string, 0, len(before)+len(lines))
	for _, list := range [][]emulator.Line{before, lines} {
		for _, l := range list {
			texts = append(texts, l.Text)
		}
	}
	texts = m.Lines(texts, s.lineOpen(lines[len(lines)-1]))
	out := shownLines{lines, make([]emulator.Line, len(lines))}
	for i, l := range lines {
		l.Text = texts[len(before)+i]
		out.Shown[i] = l
	}
	return out
}

// lineOpen reports whether the program may still add text to a line: the program runs, and the
// cursor is at the end of the line.
func (s *State) lineOpen(last emulator.Line) bool {
	at, onText := s.Term.CursorPosition()
	return onText && !s.Ended && at.Line == last.Number && at.Offset == emulator.TextWidth(last.Text)
}

// Snapshot returns the screen and the given number of scrollback rows (-1: all), with secrets hidden.
func (s *State) Snapshot(scrollback int) *emulator.Snapshot {
	return s.Mask.CopyScreen(s.Term, scrollback, !s.Ended)()
}
