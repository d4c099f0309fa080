package session

import (
	"bytes"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/shellmarks"
)

// marks is what a shell's OSC 133 marks have told.
type marks struct {
	starting bool              // the shell was given marks, and no B has come
	start    emulator.Mark     // the last A, when prompting
	end      emulator.Mark     // the last B, when prompted
	second   emulator.Position // of the last A of a prompt for a further line
	started  bool              // A came and no C since
	prompted bool              // B came and no C, A or D since

	touched bool              // something was typed since the last A
	typedAt emulator.Position // where the cursor stood then
	lines   int               // lines typed since the last B
	running bool              // C came and no D since
	ran     int64             // the offset of the last C, -1 before any
	done    int64             // the offset of the last D, -1 before any
	doneAt  emulator.Position // of the last D
	due     int               // lines typed that no prompt has come after yet
	weak    bool              // B is repeated at every key: it does not say that the shell waits
	since   time.Time         // of the last C
	command string            // the text between B and C
	last    *LastCommand
}

// lastCommandOf returns the last command for the reply to call: nil when the
// shell has reported nothing since call typed a line, for then what it typed
// went elsewhere. call may be nil.
func (k *marks) lastCommandOf(call *typing) *LastCommand {
	if call != nil && call.submitted && (!call.started || k.done <= call.offset) {
		return nil
	}
	return k.lastCommand()
}

// lastCommand returns a copy of the last command, nil when there was none, and
// while another one runs: that may be a shell, whose commands nobody reports.
func (k *marks) lastCommand() *LastCommand {
	if k.last == nil || k.running {
		return nil
	}
	c := *k.last
	return &c
}

// takeEventsLocked takes what the program told its terminal.
func (s *Session) takeEventsLocked(now time.Time) {
	for _, e := range s.term.TakeEvents() {
		switch e.Kind {
		case emulator.EventTitle:
		case emulator.EventCwd:
			if _, path, ok := shellmarks.ParseCwd(e.Text); ok {
				s.cwd = path
			}
		case emulator.EventMark:
			told := shellmarks.ParseMark(byte(e.Mark.Kind), e.Mark.Params, s.nonce)
			if told.Trusted {
				s.takeMarkLocked(e.Mark, told, now)
			}
		case emulator.EventBracketedPaste:
			s.edit = lineEdit{at: e.Mark.At, set: true}
		default:
			s.events.add(e)
		}
	}
}

// takeMarkLocked takes one trusted mark.
func (s *Session) takeMarkLocked(m emulator.Mark, told shellmarks.Mark, now time.Time) {
	k := &s.marks
	if told.Secondary {
		s.takeSecondaryLocked(m)
		return
	}
	switch m.Kind {
	case emulator.MarkPromptStart:
		if k.prompted {
			// The prompt before was left without running anything, or its shell
			// sends no C. What follows a prompt at which nobody typed is output,
			// or the echo of a line that was typed ahead: that is searched for.
			s.passPromptLocked()
		}
		s.dropSignLocked(m.At)
		k.start, k.started, k.prompted, k.touched = m, true, false, false
	case emulator.MarkCommandStart:
		switch anew := k.prompted && !k.touched && m.At.Line > k.end.At.Line; {
		case !k.started:
			k.start = s.promptBeforeLocked(m)
		case anew:
			// zsh draws its prompt anew below what a job has written, without an A.
			s.passPromptLocked()
			height := k.end.At.Line - k.start.At.Line
			k.start.At = emulator.Position{Line: max(m.At.Line-height, k.end.At.Line+1)}
		}
		if !k.prompted && k.due > 0 {
			k.due--
		}
		k.end, k.prompted, k.weak, k.starting, k.lines = m, true, told.Weak, false, 0
	case emulator.MarkOutputStart:
		k.command = told.Command
		if k.prompted {
			if !told.HasCommand {
				k.command = s.textLocked(k.commandStart(), m.At)
			}
			s.echoes.mark(k.spans(m.At, false)...)
		}
		k.running, k.started, k.prompted = true, false, false
		k.since, k.ran = now, m.Offset
	case emulator.MarkCommandDone:
		if k.running {
			k.last = &LastCommand{Text: k.command, ExitCode: told.Exit, Duration: now.Sub(k.since), Cwd: s.cwd}
		}
		k.running = false
		k.done, k.doneAt = m.Offset, m.At
	}
}

// takeSecondaryLocked takes a mark around a prompt for a further line. Only the
// prompt is no output: what follows it may have been typed ahead.
func (s *Session) takeSecondaryLocked(m emulator.Mark) {
	k := &s.marks
	switch m.Kind {
	case emulator.MarkPromptStart:
		k.second = m.At
	case emulator.MarkCommandStart:
		if k.second.Line == m.At.Line {
			s.echoes.mark(spansBetween(k.second, m.At, false)...)
		}
	}
}

// promptBeforeLocked returns where the prompt begins that ends with the mark b,
// when its shell has sent no A: what sets PROMPT_COMMAND anew drops A, and keeps
// the B in PS1.
func (s *Session) promptBeforeLocked(b emulator.Mark) emulator.Mark {
	text := s.textOfLine(b.At)
	if start, ok := s.prompts.Match(text); ok {
		b.At.Offset = emulator.Cells(text[:start])
	} else {
		b.At.Offset = 0
	}
	return b
}

// textOfLine returns the text of a line up to a place in it.
func (s *Session) textOfLine(at emulator.Position) string {
	for _, l := range s.term.Lines(at.Line, at.Line+1) {
		return upTo(l.Text, at.Offset)
	}
	return ""
}

// leavePromptLocked ends the prompt of the last B when v says that the program
// reads on and more lines stand below it than were typed: what is in front has
// shown output without marks. It is another program, or the shell's prompt and
// hooks were set anew.
func (s *Session) leavePromptLocked(v detect.Verdict) {
	k := &s.marks
	if !k.prompted || v.Layer == detect.LayerMarks || v.Reason != detect.Prompt && v.Reason != detect.AwaitingInput && v.Reason != detect.Password {
		return
	}
	pos, ok := s.term.CursorPosition()
	if k.lines == 0 || !ok || pos.Line-k.end.At.Line <= int64(k.lines) {
		return
	}
	s.echoes.mark(spansBetween(k.start.At, k.end.At, false)...)
	k.started, k.prompted, k.running, k.done, k.last = false, false, false, -1, nil
}

// passPromptLocked marks the prompt of the last B, which another follows, as none
// of the output: where nobody has typed, what stands behind it may be, but not the
// prompt at the right edge.
func (s *Session) passPromptLocked() {
	k := &s.marks
	s.echoes.mark(k.spans(k.end.At, k.touched)...)
	for _, l := range s.term.Lines(k.end.At.Line, k.end.At.Line+1) {
		if from := s.rightPrompt(l.Text, k.end.At.Offset); from >= 0 {
			s.echoes.mark(span{line: l.Number, from: from, to: lineEnd})
		}
	}
}

// rightPrompt returns the cell in a line at which the prompt at its right edge
// begins, -1 when there is none behind the cell after: blanks separate it from
// what stands before.
func (s *Session) rightPrompt(line string, after int) int {
	const gap = "  "
	rest := emulator.CutCells(line, after)
	cut := strings.LastIndex(rest, gap)
	if cut < 0 || emulator.Cells(line) < s.size.Cols-2 || emulator.Cells(line) > s.size.Cols {
		return -1
	}
	return after + emulator.Cells(rest[:cut])
}

// dropSignLocked marks what zsh and fish show after a line without end, before
// the prompt at next, as no output. They fill the row with blanks behind it: the
// prompt begins at the start of the next row.
func (s *Session) dropSignLocked(next emulator.Position) {
	at := s.marks.doneAt
	if at.Offset == 0 || s.marks.done < 0 || next.Line > at.Line+1 || next.Line == at.Line && next.Offset < at.Offset+2 {
		return
	}
	for _, l := range s.term.Lines(at.Line, at.Line+1) {
		switch strings.TrimRight(emulator.CutCells(l.Text, at.Offset), " ") {
		case "%", "#", "⏎", "¶":
			s.echoes.mark(span{line: at.Line, from: at.Offset, to: lineEnd})
		}
	}
}

// promptDue reports whether the shell will show a prompt without being asked:
// its first one, or the one after a command that has ended.
func (k *marks) promptDue() bool {
	return k.starting || k.done >= 0 && !k.running && !k.prompted
}

// typed notes that data is typed while the cursor is at a place in the
// transcript.
func (k *marks) typed(data []byte, at emulator.Position, onText bool) {
	n := bytes.Count(data, []byte{'\r'})
	k.due += n
	k.lines += n
	if k.prompted && !k.touched && onText {
		k.touched, k.typedAt = true, at
	}
}

// commandStart returns where the echo of the command begins: after the prompt,
// or further down when something, such as a job in the background, has written
// between the prompt and what was typed.
func (k *marks) commandStart() emulator.Position {
	if k.touched && k.end.At.Line < k.typedAt.Line {
		return k.typedAt
	}
	return k.end.At
}

// spans returns the spans of the prompt and of what was typed after it, up to
// to. What others wrote in between is output.
func (k *marks) spans(to emulator.Position, whole bool) []span {
	from := k.commandStart()
	if from == k.end.At {
		return spansBetween(k.start.At, to, whole)
	}
	prompt := spansBetween(k.start.At, k.end.At, false)
	if to.Before(from) {
		return prompt
	}
	return append(prompt, spansBetween(from, to, whole)...)
}

// spansBetween returns the spans from one place in the transcript up to
// another; whole takes the last line to its end.
func spansBetween(from, to emulator.Position, whole bool) []span {
	var spans []span
	// A command of more lines than this is not one that was typed.
	const most = 1000
	for line := from.Line; line <= to.Line && line-from.Line < most; line++ {
		sp := span{line: line, to: lineEnd}
		if line == from.Line {
			sp.from = from.Offset
		}
		if line == to.Line && !whole {
			sp.to = to.Offset
		}
		if sp.to > sp.from {
			spans = append(spans, sp)
		}
	}
	return spans
}

// maxCommandText bounds the text of the last command, in bytes.
const maxCommandText = 8 << 10

// textLocked returns the transcript's text from one place up to another.
func (s *Session) textLocked(from, to emulator.Position) string {
	var parts []string
	size := 0
	for _, l := range s.term.Lines(from.Line, to.Line+1) {
		text := l.Text
		if l.Number == to.Line {
			text = between(text, 0, to.Offset)
		}
		if l.Number == from.Line {
			text = emulator.CutCells(text, from.Offset)
		} else {
			text = withoutContinuation(text)
		}
		if size += len(text); size > maxCommandText {
			break
		}
		parts = append(parts, text)
	}
	return strings.TrimSpace(strings.Join(parts, "\n"))
}

// withoutContinuation returns the text of a further line of a command without
// the prompt that the shell put before it.
func withoutContinuation(text string) string {
	for i := 0; i < len(text) && i <= maxContinuation; i++ {
		if text[i] == ' ' && i > 0 && continuation(text[:i]) && strings.ContainsRune(">.*", rune(text[i-1])) {
			return text[i+1:]
		}
	}
	return text
}
