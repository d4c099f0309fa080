package state

import (
	"math"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/text"
)

// Unseen returns the output that is new to a reader, and all lines from r.Seen.Line on. reason is
// the reason of the reply, see OutputLines.
func (s *State) Unseen(r *Reader, reason detect.Reason) (out []text.OutputLine, all outputLines) {
	all = s.OutputLines(max(r.Seen.Line, s.Term.FirstLine()), r.Seen.Open, reason)
	return r.Seen.Unseen(all.Lines), all
}

// Output returns all output from a line on, including the text of erased lines.
func (s *State) Output(line int64, reason detect.Reason) []text.OutputLine {
	var nothing text.Seen
	all := s.OutputLines(line, "", reason)
	for i := range all.Lines {
		all.Lines[i].Erased = false
	}
	return nothing.Unseen(all.Lines)
}

// outputLines are lines without prompts and echoes, and with their secrets hidden.
type outputLines struct {
	Lines  []text.Line
	Screen int64 // the number of the first line on the screen
	size   int64 // bytes of text in the lines from Screen on, with a line feed for each line
}

// OutputLines returns the lines from a line on. open is the reader's text.Seen.Open, or "". OutputLines
// omits the prompt at the cursor, if there is one: reason is detect.Prompt, the shell has marked the
// prompt and nothing was typed there, or a line editor has redrawn the prompt.
func (s *State) OutputLines(line int64, open string, reason detect.Reason) outputLines {
	unsure := s.Echoes.Resolve(s.Term, &s.Prompts)
	if reason == detect.Prompt || s.AtUntouchedPrompt() || s.belowUntouchedPrompt() || s.promptRedrawn() {
		unsure = append(unsure, s.promptSpans()...)
	}
	end := s.Term.EndLine()
	byLine := s.Spans(line, unsure)
	cursor, onText := s.Term.CursorPosition()
	below := onText && s.belowPrompt(reason, cursor.Line)
	all := s.Lines(line, end)
	out := outputLines{Lines: make([]text.Line, 0, len(all.Lines)), Screen: s.Term.FirstScreenLine()}
	for i, l := range all.Lines {
		spans := text.Unchanged(byLine[l.Number], l.Text)
		shown := all.Shown[i].Text
		p := text.Line{Number: l.Number, ID: l.ID, Erased: l.Erased, Last: l.Number == end-1, Revision: l.Revision, Style: l.StyleHash}
		p.Text, p.OnlyInput = text.Strip(shown, spans)
		p.HasInput = len(spans) > 0
		if p.Cursor = onText && l.Number == cursor.Line; p.Cursor {
			shown = text.UpTo(shown, max(cursor.Offset, emulator.TextWidth(shown)))
		}
		p.Shown = shown
		keep := p.Cursor && p.Last && p.Text != ""
		if keep { // a question keeps the blanks before the cursor
			p.Text = text.StripKeepBlanks(shown, spans)
		}
		if p.Grown = open != "" && text.StartsWith(shown, open); p.Grown {
			p.Added = text.StripKeepBlanks(shown, append(spans, text.Span{To: emulator.TextWidth(open)}))
			if !keep {
				p.Added = strings.TrimRight(p.Added, " ")
			}
		}
		if below && l.Number > cursor.Line {
			p.Text, p.OnlyInput = "", true
		}
		if l.Number >= out.Screen {
			out.size += int64(len(l.Text)) + 1
		}
		out.Lines = append(out.Lines, p)
	}
	return out
}

// belowPrompt reports whether the text below the cursor belongs to a new prompt, such as the toolbar
// of ptpython and litecli. Otherwise the text is output: a list of completions, the menu of a program
// that hides the cursor, or zsh's search of the history after a key. A background job's output is
// never below the cursor, because it moves the cursor.
func (s *State) belowPrompt(reason detect.Reason, cursor int64) bool {
	isNew := !s.Last.Started || s.Last.Submitted && cursor > s.Last.At.Line
	return reason == detect.Prompt && isNew && !s.Marks.Prompted &&
		s.Term.Modes().BracketedPaste && s.Term.Cursor().Visible
}

// Spans returns the spans of the echoes and the spans in more, grouped by line, from a line on.
func (s *State) Spans(line int64, more []text.Span) map[int64][]text.Span {
	byLine := map[int64][]text.Span{}
	for _, list := range [][]text.Span{s.Echoes.Spans, more} {
		for _, sp := range list {
			if sp.Line >= line {
				byLine[sp.Line] = append(byLine[sp.Line], sp)
			}
		}
	}
	return byLine
}

// AtUntouchedPrompt reports whether the cursor directly follows a prompt that the shell has
// marked, and nothing was typed there. The prompt may have been redrawn.
func (s *State) AtUntouchedPrompt() bool {
	pos, ok := s.Term.CursorPosition()
	return ok && s.Marks.Prompted && !s.Marks.Touched && s.Marks.End.At == pos
}

// belowUntouchedPrompt reports whether the cursor is below a prompt that the shell has marked, and
// nothing was typed there: a background job has written after the prompt.
func (s *State) belowUntouchedPrompt() bool {
	pos, ok := s.Term.CursorPosition()
	return ok && s.Marks.Prompted && !s.Marks.Touched && s.Marks.End.At.Line < pos.Line
}

// promptRedrawn reports whether a line editor has redrawn its prompt and line in the cursor's row:
// a B after the input shows that, or the row repeats the text of the previous prompt and line.
func (s *State) promptRedrawn() bool {
	pos, ok := s.Term.CursorPosition()
	if k := &s.Marks; !ok || k.Prompted {
		return ok && k.Touched && k.End.At.Line == pos.Line && k.End.Offset > s.Last.From
	}
	n := len(s.Echoes.Spans)
	if n == 0 || s.Echoes.Spans[n-1].Line >= pos.Line {
		return false
	}
	row := strings.TrimRight(s.AtCursor(), " ")
	return row == s.Echoes.Spans[n-1].Text && s.Prompts.Prefix(row) > 0
}

// promptSpans returns the spans of the current prompt.
func (s *State) promptSpans() []text.Span {
	pos, ok := s.Term.CursorPosition()
	if !ok {
		return nil
	}
	if k := &s.Marks; k.Prompted && k.End.At.Line <= pos.Line {
		if s.belowUntouchedPrompt() { // the text after the prompt is output
			return slices.Clone(k.Prompt)
		}
		return k.Spans(pos, true)
	}
	if at, ok := s.PromptEdit(); ok {
		return text.SpansBetween(at, pos, true)
	}
	if start := s.PromptStart(false); start >= 0 {
		return []text.Span{{Line: pos.Line, From: start, To: text.LineEnd}}
	}
	return []text.Span{{Line: pos.Line, To: text.LineEnd}}
}

// Prompt returns the current prompt, up to the cursor.
func (s *State) Prompt() string {
	text := s.AtCursor()
	if start := s.PromptStart(false); start > 0 {
		text = emulator.CutCells(text, start)
	}
	return text
}

// Redrawn returns the lines up to number to that were drawn after a revision. It includes lines whose
// text has not changed: an answer may have the text and the position of the menu that it replaces.
func (p *outputLines) Redrawn(after uint64, to int64) []text.OutputLine {
	var out []text.OutputLine
	for _, l := range p.Lines {
		if l.Revision > after && l.Number <= to && !l.HasInput && !l.Erased && l.Text != "" {
			out = append(out, text.OutputLine{Number: l.Number, Text: l.Text})
		}
	}
	return out
}

// MarkSeen records that r has seen the lines in all with numbers below to.
func (s *State) MarkSeen(r *Reader, all outputLines, to int64) {
	r.Seen.MarkSeen(all.Lines, to, all.Screen)
	r.Before = s.Term.BytesBefore(r.Seen.Line)
}

// MarkAllSeen records that r has seen all lines, and all raw output.
func (s *State) MarkAllSeen(r *Reader, all outputLines) {
	s.MarkSeen(r, all, math.MaxInt64)
	r.Before += all.size
	r.Raw, r.Output = s.Raw.Total, s.Term.Revision()
}

// MoveToEnd records that r has seen all output.
func (s *State) MoveToEnd(r *Reader) {
	s.MarkAllSeen(r, s.OutputLines(max(r.Seen.Line, s.Term.FirstLine()), "", s.Reason))
}

// PullBack updates r after a resize. A resize may move lines that r has seen from the scrollback back
// to the screen, where programs can change them.
func (s *State) PullBack(r *Reader) {
	if from := s.Term.FirstScreenLine(); from < r.Seen.Line {
		r.Seen.PullBack(s.OutputLines(from, "", s.Reason).Lines)
		r.Before = s.Term.BytesBefore(r.Seen.Line)
	}
}

// MarkScreenSeen records that r has seen the rows of the screen. On the alternate screen it does nothing.
func (s *State) MarkScreenSeen(r *Reader, reason detect.Reason) {
	if s.Term.AltScreen() {
		return
	}
	all := s.OutputLines(max(r.Seen.Line, s.Term.FirstLine()), "", reason)
	r.Seen.MarkScreenSeen(all.Lines, all.Screen)
	r.Before = s.Term.BytesBefore(r.Seen.Line)
}

// ForgetGap makes a reader, and its saved positions, forget lines that the log lacks or that another
// server has numbered differently. A reader that has seen as much as the log has is moved to the end.
func (s *State) ForgetGap(r *Reader) {
	if r == nil {
		return
	}
	if all := s.OutputLines(s.Term.FirstLine(), "", s.Reason); r.Raw >= s.Raw.Total || r.Seen.Line > s.Term.EndLine() {
		r.Seen = text.Seen{}
		s.MarkAllSeen(r, all)
	} else {
		r.Seen.Forget(all.Lines)
	}
	r.Screen, r.Output = min(r.Screen, s.Term.Revision()), min(r.Output, s.Term.Revision())
	r.Event = min(r.Event, s.Events.End())
	s.ForgetGap(r.Origin)
	s.ForgetGap(r.Start)
}
