package state

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/text"
)

// PromptStart returns the cell in the cursor's line where the prompt before the cursor begins. It returns
// 0 if the prompt begins in an earlier line, and -1 if no prompt is known there. isNew reports that the
// foreground program has not prompted yet.
func (s *State) PromptStart(isNew bool) int {
	pos, ok := s.Term.CursorPosition()
	if !ok {
		return -1
	}
	if k := &s.Marks; k.Prompted && k.End.At.Line == pos.Line {
		if k.Start.At.Line == pos.Line {
			return k.Start.At.Offset
		}
		return 0
	}
	if at, ok := s.PromptEdit(); ok {
		if at.Line == pos.Line {
			return at.Offset
		}
		return 0
	}
	text := s.AtCursor()
	at, ok := s.LearnedPrompt(text)
	switch {
	case !ok:
		return -1
	case at > 0 && detect.LooksLikePrompt(text) && isNew:
		return 0 // a new program's prompt, such as "octave:1> ", ends in one learned from another, such as Lua's "> "
	case at > 0 && len(text)-at >= detect.MaxPromptText-utf8.UTFMax:
		return 0 // the learned text was cut to MaxPromptText, so the prompt begins earlier
	}
	return emulator.TextWidth(text[:at])
}

// LearnedPrompt reports whether the text left of the cursor is or ends in a learned prompt, and
// returns the byte at which the prompt begins. A line editor that takes over at the cursor, such as
// zsh's, has drawn its prompt from the beginning of the row. In that case, a learned prompt that begins
// later in the row is not accepted.
func (s *State) LearnedPrompt(text string) (start int, ok bool) {
	start, ok = s.Prompts.Match(text)
	if pos, onText := s.Term.CursorPosition(); start > 0 && s.Editing() && onText && s.Edit.At == pos {
		return 0, false
	}
	return start, ok
}

// applyVerdict applies a verdict: what the server has concluded about the program.
func (s *State) applyVerdict(n *eventlog.VerdictNote) {
	if n.Number <= s.Verdict.Number {
		return // it was applied before the state was saved
	}
	s.Verdict = *n
	reason := detect.Reason(n.Reason)
	if reason != "" {
		s.Reason = reason
	}
	if !n.Marks && (reason == detect.Prompt || reason == detect.AwaitingInput || reason == detect.Password) {
		s.endPrompt()
	}
	if reason == detect.Prompt || reason == detect.AwaitingInput {
		s.Echoes.RecordShown(s.Term)
		s.clearTouched()
	}
	prompt := s.AtCursor()
	switch reason {
	case detect.Prompt:
		s.Marks.LinesDue = 0
		s.markUpperLines()
		if start := s.PromptStart(n.New); start >= 0 {
			prompt = prompt[len(text.Between(prompt, 0, start)):]
		}
	case "":
	default:
		return
	}
	s.Prompts.Learn(prompt, s.DrawnPrompt())
}

// maxPromptLinesBack is the greatest number of lines that PromptedSinceInput searches, the last ones.
const maxPromptLinesBack = 50

// PromptedSinceInput reports whether a line below the line of the last input begins with a learned
// prompt and has text after it.
func (s *State) PromptedSinceInput() bool {
	end := s.Term.EndLine()
	for _, l := range s.Term.Lines(max(s.Last.At.Line+1, end-maxPromptLinesBack), end) {
		if n := s.Prompts.Prefix(l.Text); n > 0 && n < len(l.Text) {
			return true
		}
	}
	return false
}

// DrawnPrompt reports whether the last line of output contains escape sequences, which line
// editors use to draw their prompts. It searches only after the sequence that switches bracketed
// paste off, which a line editor writes when it submits a line.
func (s *State) DrawnPrompt() bool {
	p := s.Raw.Since(max(s.Raw.First(), s.Raw.Total-maxDrawn))
	p = p[bytes.LastIndexByte(p, '\n')+1:]
	if i := bytes.LastIndex(p, []byte(pasteOff)); i >= 0 {
		p = p[i+len(pasteOff):]
	}
	return bytes.IndexByte(p, '\x1b') >= 0
}

// pasteOff switches bracketed paste mode off (xterm, DECRST 2004).
const pasteOff = "\x1b[?2004l"

// maxDrawn is the number of latest bytes that DrawnPrompt searches.
const maxDrawn = 1 << 10

// secretLines is the number of lines above the cursor that may belong to a question (see Question).
const secretLines = 5

// Question returns the text of the last lines up to the cursor. at is the byte index in text at which
// the cursor's line begins.
func (s *State) Question() (text string, at int) {
	var b strings.Builder
	if pos, ok := s.Term.CursorPosition(); ok {
		for _, l := range s.Term.Lines(pos.Line-secretLines, pos.Line) {
			b.WriteString(l.Text + "\n")
		}
	}
	at = b.Len()
	return b.String() + s.AtCursor(), at
}

// AwaitsInput reports whether the last verdict was that the program waits for input, and nothing
// was typed or printed since. Output of a full-screen program does not count: it may redraw the screen.
func (s *State) AwaitsInput() bool {
	v := &s.Verdict
	return s.Reason == detect.AwaitingInput && v.Inputs == s.Inputs && (v.Output == s.Raw.Total || s.Term.FullScreen())
}

// AsksSecret reports whether the text at the cursor asks for a secret and was not typed. The terminal
// may still echo input: programs switch the echo off after they have written the question.
func (s *State) AsksSecret() bool {
	isTyped := s.Last.Started && !s.Last.Submitted
	return !isTyped && !s.Ended && !s.Term.FullScreen() && s.Reason != detect.Prompt && detect.AsksSecret(strings.TrimSpace(s.AtCursor()))
}
