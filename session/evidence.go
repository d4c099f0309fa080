package session

import (
	"bytes"
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
)

// answeredLocked returns how many bytes the child has written since the last
// input, 0 while they are a line feed alone: with that a program ends the line
// in which it has read a secret, and has not answered yet.
func (s *Session) answeredLocked() int64 {
	n := s.raw.total - s.last.offset
	if n > int64(len("\r\n")) {
		return n
	}
	if p, _ := s.raw.since(s.last.offset); len(bytes.Trim(p, "\r\n")) == 0 {
		return 0
	}
	return n
}

// evidenceLocked gathers what a verdict is made from. call is the input that
// the wait is about, nil when it typed nothing.
func (s *Session) evidenceLocked(now time.Time, call *typing) detect.Evidence {
	e := detect.Evidence{
		Now:    now,
		Exited: s.status != StatusRunning,
		Input: detect.Input{
			Queued: s.unsent > 0 || call != nil && !call.finished,
			At:     s.last.at, Typed: s.last.by, Submitted: s.last.submitted,
		},
		Output: detect.Output{Last: s.lastOutput, Since: s.answeredLocked()},
	}
	if e.Exited || e.Input.Queued {
		return e
	}
	tty := s.lookTTY()
	if e.Output.Unread = tty.pending > 0 || s.child.Ahead(s.raw.total); e.Output.Unread {
		return e
	}
	e.TTY = s.modesLocked(tty, e.Now)
	e.Output.Held = s.term.Partial() || s.term.Modes().Synchronized
	e.FullScreen = s.fullScreenLocked()
	e.Blank = e.FullScreen && s.term.Snapshot(0).Text() == ""
	e.AtCursor, e.OnText = s.aroundCursorLocked()
	pos, ok := s.term.CursorPosition()
	e.Input.Moved = ok && (!s.last.onText || pos.Line > s.last.pos.Line)
	if !ok && !e.FullScreen {
		e.Input.Moved = s.raw.total > s.last.offset // its rows have no numbers
	}
	if s.opt.Pipe {
		// Nothing echoes what is typed, so the next prompt may come in the same
		// line, but it is output.
		e.Input.Moved = s.raw.total > s.last.offset
	}
	e.Marks = s.marks.evidence(s.last)
	e.Kernel = s.kernelLocked()
	if s.opt.Pipe && s.last.submitted && e.Output.Since == 0 {
		// Nothing moves there when a line is typed: what stands at the cursor is
		// the prompt before it.
		e.AtCursor = ""
	}
	if !e.FullScreen {
		var start int
		start, e.Learned.Prompt = s.prompts.Match(e.AtCursor)
		e.Whole = e.Learned.Prompt && (start == 0 || s.editedLocked(emulator.Cells(e.AtCursor[:start])))
		e.Plain = e.Learned.Prompt && s.prompts.Drawn(e.AtCursor) && !s.drawnPromptLocked()
	}
	e.Edited = s.editingLocked()
	e.Again = !e.FullScreen && detect.SamePrompt(s.last.prompt, e.AtCursor)
	e.Continues = !e.FullScreen && !e.Learned.Prompt && s.continuesLocked(e.AtCursor, e.Kernel)
	e.SameFront = e.Learned.Prompt && s.front == tty.front()
	e.Expected = s.expectedLocked()
	e.Input.Prompted = e.AtCursor == "" && e.Kernel.Prompts && e.Kernel.Waiting && !e.Kernel.Sure && s.promptedLocked()
	e.Pace = s.pace.Rhythm(now)
	return e
}

// continuesLocked reports whether the text at the cursor is the prompt for a further
// line: of a program that waits as it does at prompts, or whose line editor has not
// handed the lines over yet, as prompt_toolkit's in IPython.
func (s *Session) continuesLocked(atCursor string, k detect.Kernel) bool {
	waits := !k.Known || k.Sure || k.Seen || s.term.Modes().BracketedPaste
	return waits && s.prompts.Continues(atCursor)
}

// modesLocked returns what tty says for package detect, and since when.
func (s *Session) modesLocked(tty ttyState, now time.Time) detect.TTY {
	if front := tty.front(); front != s.modes || s.modesAt.IsZero() {
		s.modes, s.modesAt = front, now
	}
	return detect.TTY{Known: tty.known, Canonical: tty.canonical, Echo: tty.echo, Since: s.modesAt}
}

// maxPrompted is in how many of the last lines a prompt is looked for that other
// text has come behind.
const maxPrompted = 50

// promptedLocked reports whether a learned prompt has come since the last input,
// below the line where that was typed, and text behind it.
func (s *Session) promptedLocked() bool {
	end := s.term.EndLine()
	for _, l := range s.term.Lines(max(s.last.pos.Line+1, end-maxPrompted), end) {
		if n := s.prompts.Prefix(l.Text); n > 0 && n < len(l.Text) {
			return true
		}
	}
	return false
}

// evidence returns what the marks say about what came after in. A D alone says
// that the shell took an empty line, unless it ends a command that ran already
// when in was typed.
func (k *marks) evidence(in typed) detect.Marks {
	took := k.ran > in.offset || k.done > in.offset && !in.running
	return detect.Marks{
		Back:    k.prompted && !k.weak && in.by && k.end.Offset > in.offset,
		Prompt:  k.prompted && !k.weak && (!in.by || k.end.Offset > in.offset && took),
		Lines:   k.due > 0,
		Running: k.running,

		Starting: k.promptDue(),
	}
}

// fullScreenLocked reports whether the program owns the screen.
func (s *Session) fullScreenLocked() bool {
	return s.term.FullScreen()
}

// atCursorLocked returns the text left of the cursor in its line, blanks
// included, "" in a full-screen program.
func (s *Session) atCursorLocked() string {
	text, _ := s.aroundCursorLocked()
	return text
}

// aroundCursorLocked is atCursorLocked that also reports whether the cursor
// stands on a character.
func (s *Session) aroundCursorLocked() (before string, on bool) {
	pos, ok := s.term.CursorPosition()
	text := ""
	switch lines := s.term.Lines(pos.Line, pos.Line+1); {
	case !ok && s.fullScreenLocked():
		return "", false
	case !ok:
		// The program places its rows itself, as bpython does; they are no lines.
		shot := s.term.Snapshot(0)
		pos.Offset, text = shot.Cursor.Col, shot.Screen[shot.Cursor.Row].Text()
	case len(lines) > 0:
		text = lines[0].Text
	}
	rest := emulator.CutCells(text, pos.Offset)
	return upTo(text, pos.Offset), rest != "" && rest[0] != ' '
}

// upTo returns the first n cells of text, filled with blanks.
func upTo(text string, n int) string {
	if rest := emulator.CutCells(text, n); rest != "" {
		return text[:len(text)-len(rest)]
	}
	return text + strings.Repeat(" ", max(0, n-emulator.Cells(text)))
}

// secretInsideLocked reports whether a terminal inside this one that is set as for
// typing a password is so for one. In a full-screen program the text at the cursor
// has to ask for it, too: Emacs sets the terminals of its shells so for good.
func (s *Session) secretInsideLocked() bool {
	if !s.fullScreenLocked() {
		return true
	}
	shot := s.term.Snapshot(0)
	return detect.AsksSecret(strings.TrimSpace(upTo(shot.Screen[shot.Cursor.Row].Text(), shot.Cursor.Col)))
}
