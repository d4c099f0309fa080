package ready

import (
	"strings"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
)

// Evidence gathers the evidence for a verdict. unfinished says that a part of the call's
// input has not been written yet.
func (w *Watch) Evidence(now time.Time, unfinished bool) detect.Evidence {
	e := detect.Evidence{
		Now:    now,
		Exited: w.State.Ended,
		Input: detect.Input{
			Queued:       w.Unsent() || unfinished,
			At:           w.lastInputAt(),
			Typed:        w.State.Last.Started,
			Submitted:    w.State.Last.Submitted,
			InLine:       w.State.Last.Started && w.State.Last.Lines == 0 && !w.State.Last.Secret,
			EndsInEscape: w.view.endsInEscape,
		},
		Output: detect.Output{Last: w.State.LastOutput, AnswerBytes: w.State.AnswerBytes()},
	}
	if e.Exited || e.Input.Queued {
		return e
	}
	tty := w.LookTTY()
	if e.Output.Unread = w.OutputPending(tty); e.Output.Unread {
		return e
	}
	e.Output.Incomplete = w.State.HalfDrawn(now)
	e.FullScreen = w.State.Term.FullScreen()
	if !e.Output.Incomplete {
		w.lookAtMotion(now)
	}
	e.Output.ResultAt, e.Output.SpinsUntil, e.Output.Busy = w.motion.resultAt(), w.motion.spinner.stopsAt(), w.motion.busy
	e.Blank = (e.FullScreen || !e.Input.Typed && !w.State.Pipe) && w.State.VisibleText() == ""
	e.AtCursor, e.OnText = w.State.AroundCursor()
	switch pos, ok := w.State.Term.CursorPosition(); {
	case w.State.Pipe, !ok && !e.FullScreen:
		// Any output counts as a move: input to a pipe has no echo, so the next prompt may be in
		// the same line, and a program that draws its rows itself has no lines.
		e.Input.Moved = w.State.Raw.Total > w.State.Last.From
	case ok:
		e.Input.Moved = !w.State.Last.OnText || pos.Line > w.State.Last.At.Line
	}
	e.Marks = w.State.MarkEvidence()
	if w.State.Pipe && w.State.Last.Submitted && e.Output.AnswerBytes == 0 {
		// The cursor does not move when a line is typed: the text at the cursor is the prompt
		// before the line.
		e.AtCursor = ""
	}
	e.EditorReads = w.State.Editing()
	if !e.FullScreen {
		e.CursorHidden = !w.State.Term.Cursor().Visible
		e.TextUnchanged = detect.SamePrompt(w.State.Last.Before, e.AtCursor)
		var start int
		start, e.Learned.Prompt = w.State.LearnedPrompt(e.AtCursor)
		alone := start == 0 || w.State.PromptDrawnFrom(emulator.TextWidth(e.AtCursor[:start]))
		e.PromptWhole = e.Learned.Prompt && alone && (!w.State.Prompts.Drawn(e.AtCursor) || w.State.DrawnPrompt())
		e.LineBegun = !e.Learned.Prompt && e.Input.InLine && !e.Input.Moved && w.State.Prompts.Prefix(e.AtCursor) > 0
	}
	e.PromptExpected = w.PromptExpected()
	e.Pace = w.State.Pace.Rhythm(now)
	w.setKernel(&e, tty)
	return e
}

// setKernel sets the fields of e that depend on the last look or on tty. The other fields must be set.
func (w *Watch) setKernel(e *detect.Evidence, tty kernel.TTY) {
	e.TTY = w.settings(tty, e.Now)
	e.SameForeground = e.Learned.Prompt && w.Foreground == foregroundOf(tty)
	k := w.Kernel()
	e.Kernel = k
	e.Continuation = !e.FullScreen && !e.Learned.Prompt && w.continues(e.AtCursor, k)
	e.Input.Prompted = e.AtCursor == "" && k.HasPrompted && k.Waiting && (!k.OnlyTerminal || k.Timed) && w.State.PromptedSinceInput()
}

// OutputPending reports whether the program has written output that the State does not have yet.
func (w *Watch) OutputPending(tty kernel.TTY) bool {
	return tty.Pending > 0 || w.Child.Ahead(w.State.Raw.Total)
}

// continues reports whether the text at the cursor is a continuation prompt. It requires that
// the program waits for its terminal alone, waits as it did at earlier prompts, or has bracketed
// paste on, as IPython's line editor does until it submits the lines. If the kernel shows nothing,
// the text is enough.
func (w *Watch) continues(atCursor string, k detect.Kernel) bool {
	waits := !k.Known || k.OnlyTerminal || k.SeenAtPrompt || w.State.Term.Modes().BracketedPaste
	return waits && w.State.Prompts.Continues(atCursor)
}

// settings returns the terminal's settings in the form of package detect. Since is when the
// present foreground group was first seen with these settings.
func (w *Watch) settings(tty kernel.TTY, now time.Time) detect.TTY {
	if foreground := foregroundOf(tty); foreground != w.modes || w.modesAt.IsZero() {
		w.modes, w.modesAt = foreground, now
	}
	return detect.TTY{Known: tty.Known, Canonical: tty.Canonical, Echo: tty.Echo, Since: w.modesAt}
}

// secretInside reports whether a nested terminal in the mode of a password prompt really
// shows one. In a full-screen program, the text at the cursor must also ask for a password,
// because Emacs sets the terminals of its shells to this mode permanently.
func (w *Watch) secretInside() bool {
	if !w.State.Term.FullScreen() {
		return true
	}
	return detect.AsksSecret(strings.TrimSpace(w.screen().beforeCursor()))
}

// InputIsSecret reports whether input typed now is a secret: the terminal is in the mode of a
// password prompt, or the last verdict was that a password is asked for.
func (w *Watch) InputIsSecret(tty kernel.TTY) bool {
	return tty.Secret() || w.State.Reason == detect.Password
}

// AsksPassword reports whether a password is asked for now. The question is over after an answer
// or an interrupt: the next input may be a command. If the last verdict followed from the
// terminal's mode, the question is also over when the mode changes; any other question is over
// when the program has printed more and the text at the cursor no longer asks.
func (w *Watch) AsksPassword(tty kernel.TTY) bool {
	switch {
	case tty.Secret():
		return true
	case w.State.Reason != detect.Password || w.Answered || w.askedByMode:
		return false
	}
	return w.State.Verdict.Output == w.State.Raw.Total || detect.AsksSecret(strings.TrimSpace(w.State.AtCursor()))
}

// LookTTY returns the state of the session's terminal, or the zero TTY if the child has pipes.
func (w *Watch) LookTTY() kernel.TTY {
	master := w.Child.Terminal()
	if master == nil {
		return kernel.TTY{}
	}
	return kernel.LookTTY(master)
}
