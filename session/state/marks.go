package state

import (
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/shellmarks"
	"github.com/glasstty/glasstty/session/text"
)

// Marks holds what a shell's OSC 133 marks have reported. The shell sends A where its prompt begins, B
// where the prompt ends, C where the output of a command begins, and D when the command has ended.
type Marks struct {
	Starting bool              // the shell was set up to send marks, and has not sent a B
	Start    emulator.Mark     // the last A: where the prompt begins
	End      emulator.Mark     // the last B: where the prompt ends
	Prompt   []text.Span       // the spans of the prompt that ends at End
	Second   emulator.Position // of the last A of a continuation prompt
	Started  bool              // after an A, before the next C
	Prompted bool              // after a B, before the next A or C

	Touched    bool              // something was typed at the prompt since the last A
	TypedAt    emulator.Position // the cursor's position when Touched was set
	Lines      int               // number of lines typed since the last B
	Running    bool              // after a C, before the next D
	RunOffset  int64             `json:"Ran"`  // bytes of output before the last C; -1 if there was none
	DoneOffset int64             `json:"Done"` // bytes of output before the last D; -1 if there was none
	DoneAt     emulator.Position // of the last D
	LinesDue   int               `json:"Due"` // number of typed lines that no prompt has followed yet
	Weak       bool              // the shell repeats B at every key, so a B does not show that it waits for a line
	Since      time.Time         // of the last C
	Command    string            // the command's text in the last C or, if it has none, on the screen between B and C
	Last       *LastCommand      // the last command that ended; nil if none has
}

// LastCommand describes the last command line that a shell has reported with marks.
type LastCommand struct {
	Text     string
	ExitCode int
	Duration time.Duration
	Cwd      string
}

// LastCommandOf returns the last command that ended after the input in, or the last command if in is
// nil. It returns nil if the shell has reported no such command: another program has read the input,
// or the input was an empty line or a key at the prompt.
func (k *Marks) LastCommandOf(in *Input) *LastCommand {
	if in != nil && (!in.Started || k.DoneOffset <= in.Offset || k.RunOffset <= in.Offset && !in.Running) {
		return nil
	}
	return k.LastCommand()
}

// LastCommand returns a copy of the last command. It returns nil if there was none. It also returns
// nil while another command runs, which may be a shell that reports no commands.
func (k *Marks) LastCommand() *LastCommand {
	if k.Last == nil || k.Running {
		return nil
	}
	c := *k.Last
	return &c
}

// applyEvents applies the terminal's events.
func (s *State) applyEvents(now time.Time) {
	for _, e := range s.Term.TakeEvents() {
		switch e.Kind {
		case emulator.EventTitle:
		case emulator.EventCwd:
			if _, path, ok := shellmarks.ParseCwd(e.Text); ok {
				s.Cwd = path
			}
		case emulator.EventMark:
			parsed := shellmarks.ParseMark(byte(e.Mark.Kind), e.Mark.Params, s.Nonce)
			if parsed.Trusted {
				s.applyMark(e.Mark, parsed, now)
			}
		case emulator.EventBracketedPaste:
			s.recordLineEdit(e.Mark.At)
		case emulator.EventUpdate:
			s.Updated = now
		default:
			s.Events.Add(e)
		}
	}
}

// applyMark applies one trusted mark.
func (s *State) applyMark(m emulator.Mark, parsed shellmarks.Mark, now time.Time) {
	k := &s.Marks
	if parsed.Secondary {
		s.applySecondary(m)
		return
	}
	switch m.Kind {
	case emulator.MarkPromptStart:
		if k.Prompted {
			// Nothing ran at the previous prompt, or its shell sends no C. If nothing was typed at
			// that prompt, the text after it is output or the echo of a line that was typed ahead.
			s.markPassedPrompt()
		}
		s.markEndSign(m.At)
		k.Start, k.Started, k.Prompted, k.Touched = m, true, false, false
	case emulator.MarkCommandStart:
		switch redrawn := k.Prompted && m.At.Line > k.End.At.Line; {
		case !k.Started:
			k.Start = s.promptBefore(m)
		case redrawn:
			// zsh redraws its prompt below the output of a job, and bash below a list of
			// completions, without an A.
			s.markPassedPrompt()
			height := k.End.At.Line - k.Start.At.Line
			k.Start.At = emulator.Position{Line: max(m.At.Line-height, k.End.At.Line+1)}
		case !k.Prompted && k.Start.At.Before(s.Edit.At) && s.Edit.At.Before(m.At):
			k.Start.At = s.Edit.At // bash has reported its jobs before it drew the prompt
		}
		if !k.Prompted && k.LinesDue > 0 {
			k.LinesDue--
		}
		k.End, k.Prompted, k.Weak, k.Starting, k.Lines = m, true, parsed.Weak, false, 0
		before, drawn := k.Prompt, text.WithText(s.Term, text.SpansBetween(k.Start.At, m.At, false))
		if above := len(drawn) - len(before); above > 0 && len(before) > 0 && slices.EqualFunc(before, drawn[above:], sameText) {
			// Another program has written after the A. The prompt itself has not changed.
			drawn = drawn[above:]
			k.Start.At = emulator.Position{Line: drawn[0].Line, Offset: drawn[0].From}
		}
		k.Prompt = drawn
	case emulator.MarkOutputStart:
		k.Command = parsed.Command
		if k.Prompted {
			if !parsed.HasCommand {
				k.Command = s.textBetween(k.commandStart(), m.At, maxCommandText)
			}
			s.Echoes.Resolve(s.Term, &s.Prompts)
			s.Echoes.Mark(s.Term, s.commandSpans(m.At)...)
			s.Echoes.ForgetPasted()
		}
		s.Echoes.Mark(s.Term, s.redrawnCommand(m.At)...)
		k.Running, k.Started, k.Prompted = true, false, false
		k.Since, k.RunOffset = now, m.Offset
	case emulator.MarkCommandDone:
		if k.Running {
			k.Last = &LastCommand{Text: k.Command, ExitCode: parsed.Exit, Duration: now.Sub(k.Since), Cwd: s.Cwd}
		}
		k.Running = false
		k.DoneOffset, k.DoneAt = m.Offset, m.At
	}
	switch {
	case m.Kind == emulator.MarkOutputStart || k.RunOffset < 0:
		s.Prompts.Scope = m.Offset
	default:
		s.Prompts.Scope = detect.ScopeShell
	}
}

// sameText reports whether two spans have the same text.
func sameText(a, b text.Span) bool { return a.Text == b.Text }

// applySecondary applies a mark around a continuation prompt. It marks only the prompt as not output,
// and not the text after it, which Resolve finds if it is an echo.
func (s *State) applySecondary(m emulator.Mark) {
	k := &s.Marks
	switch m.Kind {
	case emulator.MarkPromptStart:
		k.Second = m.At
	case emulator.MarkCommandStart:
		if k.Second.Line == m.At.Line {
			s.Echoes.Mark(s.Term, text.SpansBetween(k.Second, m.At, false)...)
		}
	}
}

// promptBefore returns where a prompt begins that ends with the mark b and has no A. The A is missing
// if PROMPT_COMMAND, which sends it, was replaced; the B is in PS1.
func (s *State) promptBefore(b emulator.Mark) emulator.Mark {
	text := s.textOfLine(b.At)
	if start, ok := s.Prompts.Match(text); ok {
		b.At.Offset = emulator.TextWidth(text[:start])
	} else {
		b.At.Offset = 0
	}
	return b
}

// textOfLine returns the text of a line up to a position in the line.
func (s *State) textOfLine(at emulator.Position) string {
	return text.UpTo(s.Term.LineText(at.Line), at.Offset)
}

// endPrompt ends the prompt of the last B if the program waits for input more lines below it than were
// typed. In that case the foreground program sends no marks: it is another program, or the shell's
// prompt and hooks were replaced.
func (s *State) endPrompt() {
	k := &s.Marks
	pos, ok := s.Term.CursorPosition()
	if !k.Prompted || k.Lines == 0 || !ok || pos.Line-k.End.At.Line <= int64(k.Lines) {
		return
	}
	s.Echoes.Mark(s.Term, k.Prompt...)
	k.Started, k.Prompted, k.Running, k.DoneOffset, k.Last = false, false, false, -1, nil
	s.Prompts.Scope = 0
}

// markPassedPrompt marks the prompt of the last B, and a prompt at the right edge of its line, as not
// output when another prompt follows. The text after the prompt is output, except an echo. If something
// was typed there and its echo is not known, the whole rest of the line is taken for the echo.
func (s *State) markPassedPrompt() {
	k := &s.Marks
	s.Echoes.Mark(s.Term, k.Spans(k.End.At, k.Touched && !s.Last.Echo && !s.echoAt(k.End.At))...)
	s.Echoes.Mark(s.Term, s.rightPrompt(k.End.At)...)
}

// commandSpans returns the spans of the prompt and of the command after it. The command's output begins
// at to. If the lines before to do not show the command that the shell has reported, or if to is not
// at the start of a line, all text between the prompt and to is taken for the command.
func (s *State) commandSpans(to emulator.Position) []text.Span {
	k := &s.Marks
	lines := s.Term.Lines(k.End.At.Line, to.Line)
	spans, ok := text.CommandIn(lines, k.End.At.Offset, k.Command)
	if !ok || to.Offset > 0 {
		return k.Spans(to, false)
	}
	return slices.Concat(k.Prompt, spans, s.rightPrompt(k.End.At))
}

// redrawnCommand returns the spans of the prompt and the command if the shell has drawn them a second
// time below the first, before the position to. zsh does so when a job ends just after Enter: it
// reports the job before it runs the command.
func (s *State) redrawnCommand(to emulator.Position) []text.Span {
	k := &s.Marks
	end := k.End.At // where the prompt ends
	if !k.Prompted {
		end = s.Edit.At // the prompt has no B: the line editor took over where the prompt ends
	}
	prompt := s.textOfLine(end)
	if !k.Started || end.Before(k.Start.At) || k.Command == "" || prompt == "" {
		return nil
	}
	lines := s.Term.Lines(end.Line+1, to.Line)
	for i, l := range slices.Backward(lines) {
		if !text.StartsWith(l.Text, prompt) {
			continue
		}
		if spans, ok := text.CommandIn(lines[i:], end.Offset, k.Command); ok {
			return append(spans, text.Span{Line: l.Number, To: end.Offset})
		}
	}
	return nil
}

// rightPrompt returns the span of the prompt at the right edge of a line, if there is one after a
// position in the line. At least two blanks separate the prompt from the text before it.
func (s *State) rightPrompt(after emulator.Position) []text.Span {
	const gap = "  "
	line := s.Term.LineText(after.Line)
	rest := emulator.CutCells(line, after.Offset)
	cut := strings.LastIndex(rest, gap)
	if cut < 0 || emulator.TextWidth(line) < s.Term.Size().Cols-2 || emulator.TextWidth(line) > s.Term.Size().Cols {
		return nil
	}
	return []text.Span{{Line: after.Line, From: after.Offset + emulator.TextWidth(rest[:cut]), To: text.LineEnd}}
}

// markEndSign marks as not output the sign that zsh and fish show after output without a line end. next
// is the start of the prompt that follows. The shells fill the row with blanks after the sign, so that
// the prompt begins at the start of the next row.
func (s *State) markEndSign(next emulator.Position) {
	at := s.Marks.DoneAt
	if at.Offset == 0 || s.Marks.DoneOffset < 0 || next.Line > at.Line+1 || next.Line == at.Line && next.Offset < at.Offset+2 {
		return
	}
	switch strings.TrimRight(emulator.CutCells(s.Term.LineText(at.Line), at.Offset), " ") {
	case "%", "#", "⏎", "¶":
		s.Echoes.Mark(s.Term, text.Span{Line: at.Line, From: at.Offset, To: text.LineEnd})
	}
}

// recordTyped records that input with n line ends is typed. at and onText are the results of
// emulator.Terminal.CursorPosition.
func (k *Marks) recordTyped(n int, at emulator.Position, onText bool) {
	k.LinesDue += n
	k.Lines += n
	if k.Prompted && !k.Touched && onText {
		k.Touched, k.TypedAt = true, at
	}
}

// clearTouched is called when the program waits at its prompt again. If no text follows the prompt,
// because the keys typed there have deleted what was typed, it clears Touched.
func (s *State) clearTouched() {
	k := &s.Marks
	if pos, ok := s.Term.CursorPosition(); ok && k.Prompted && k.Lines == 0 && k.End.At == pos && emulator.CutCells(s.Term.LineText(pos.Line), pos.Offset) == "" {
		k.Touched = false
	}
}

// echoAt reports whether a known echo of typed text covers a position.
func (s *State) echoAt(at emulator.Position) bool {
	s.Echoes.Resolve(s.Term, &s.Prompts)
	return slices.ContainsFunc(s.Echoes.Spans, func(sp text.Span) bool {
		return sp.Line == at.Line && sp.From <= at.Offset && sp.To > at.Offset
	})
}

// commandStart returns where the echo of the command begins: after the prompt, or further down if
// something else, such as a background job, has written between the prompt and the echo.
func (k *Marks) commandStart() emulator.Position {
	if k.Touched && k.End.At.Line < k.TypedAt.Line {
		return k.TypedAt
	}
	return k.End.At
}

// Spans returns the spans of the prompt and of the typed text after it, up to a position or, if
// whole is true, to the end of that line. Text that other programs wrote between the prompt and the
// typed text is output.
func (k *Marks) Spans(to emulator.Position, whole bool) []text.Span {
	return append(slices.Clone(k.Prompt), text.SpansBetween(k.commandStart(), to, whole)...)
}

// maxCommandText limits the text of the last command, in bytes.
const maxCommandText = 8 << 10

// textBetween returns the text between two positions, without continuation prompts and without blanks
// at both ends. It returns only the first lines if the text has more than limit bytes.
func (s *State) textBetween(from, to emulator.Position, limit int) string {
	var parts []string
	size := 0
	for _, l := range s.Term.Lines(from.Line, to.Line+1) {
		line := l.Text
		if l.Number == to.Line {
			line = text.Between(line, 0, to.Offset)
		}
		if l.Number == from.Line {
			line = emulator.CutCells(line, from.Offset)
		} else {
			line = text.WithoutContinuation(line)
		}
		if size += len(line); size > limit {
			break
		}
		parts = append(parts, line)
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// PromptIsNew reports whether the shell has marked the current prompt after the last input.
func (s *State) PromptIsNew() bool {
	return s.Marks.Prompted && (!s.Last.Started || s.Marks.End.Offset > s.Last.From)
}

// MarkEvidence returns what the marks say about the time since the last input. A D without a C means
// that the shell has read an empty line. The exception is the D of a command that was already running
// when the input was typed.
func (s *State) MarkEvidence() detect.Marks {
	k, in := &s.Marks, s.Last
	cursor, ok := s.Term.CursorPosition()
	took := k.RunOffset > in.From || k.DoneOffset > in.From && !in.Running
	return detect.Marks{
		PromptMarked: k.Prompted && !k.Weak && in.Started && k.End.Offset > in.From,
		Prompt:       k.Prompted && !k.Weak && (!in.Started || k.End.Offset > in.From && took),
		LinesPending: k.LinesDue > 0,
		Running:      k.Running,
		CursorMoved:  k.Prompted && !k.Touched && ok && cursor != k.End.At,
		// The first prompt has not come yet, or the one after a command that has ended.
		Starting: k.Starting || k.DoneOffset >= 0 && !k.Running && !k.Prompted,
	}
}
