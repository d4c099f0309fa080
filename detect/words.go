package detect

import (
	"fmt"
	"time"
)

// secret decides whether the program asks for a password. Programs read a password in canonical
// mode without echo (getpass(3)). In other modes, the text at the cursor must ask for a secret.
func (d *decision) secret() (Verdict, bool) {
	if d.FullScreen {
		return Verdict{}, false
	}
	if d.Input.Submitted && d.Output.AnswerBytes == 0 {
		return Verdict{}, false // nothing was written since the input, which answered the prompt on the screen
	}
	if d.TTY.secret() && d.modesQuietFor(secretQuiet) && !d.isBusy() {
		return done(Password, LayerKernel, "the terminal is in line mode with echo off"), true
	}
	if d.TTY.secret() && d.isBusy() && d.Kernel.Asleep && AsksSecret(d.AtCursor) && d.modesQuietFor(secretAsleep) {
		// The kernel shows only processes that sleep. It may hide the process that reads the
		// password: su, for example, runs as root.
		return done(Password, LayerKernel, fmt.Sprintf("the terminal stays in line mode with echo off, no program runs, and the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	if d.isBusy() {
		return Verdict{}, false
	}
	if !d.TTY.secret() && AsksSecret(d.AtCursor) && (d.promptMayBeNew() || !d.Input.Submitted) && d.quietFor(wordsQuiet) {
		return done(Password, LayerLearned, fmt.Sprintf("the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	return Verdict{}, false
}

// modesQuietFor reports whether q has passed since the modes changed and since the last output or input. If not,
// it requests a decision. A program that asks for no secret may set the modes of a password prompt for a moment.
func (d *decision) modesQuietFor(q time.Duration) bool {
	since := d.TTY.Since
	if last := d.lastEvent(); last.After(since) {
		since = last
	}
	if d.Now.Sub(since) >= q {
		return true
	}
	d.decideBy(since.Add(q))
	return false
}

// learned decides by the text at the cursor: a learned prompt, a question, or the shape of a prompt.
func (d *decision) learned() (Verdict, bool) {
	if d.isBusy() && !d.Kernel.LeaderReads || d.FullScreen || !d.promptMayBeNew() {
		return Verdict{}, false
	}
	if d.Kernel.Waiting && !d.Kernel.OnlyTerminal && d.Learned.Prompt && !d.PromptWhole {
		// A program that waits for more than its terminal may be at work. It is at a prompt only if
		// a learned prompt is the whole text at the cursor: ">>> " is not the prompt "> ". If the
		// program always draws its prompt (node), a "> " without control sequences is output.
		return Verdict{}, false
	}
	reason, quiet, why := Prompt, learnedQuiet, ""
	switch {
	case d.Learned.Prompt && d.SameForeground:
		quiet, why = foregroundQuiet, "the learned prompt %q came back, with the same foreground process and the same terminal modes"
	case d.Learned.Prompt:
		why = "the learned prompt %q came back"
	case d.Learned.Continuation:
		why = "the text at the cursor, %q, continues a learned prompt"
	case d.Kernel.LeaderReads && d.Kernel.MainIsFish && d.Marks.Running && d.asksForInput():
		return done(AwaitingInput, LayerKernel, d.Kernel.Text, fmt.Sprintf("the shell itself reads its terminal, and asks %q", d.AtCursor)), d.quietFor(wordsQuiet)
	case (AsksYesNo(d.AtCursor) || AsksMore(d.AtCursor)) && d.continuesAlone():
		// A question alone is not enough: node may print "[Y/n]" in the middle of its output.
	case AsksYesNo(d.AtCursor):
		reason, quiet, why = AwaitingInput, wordsQuiet, "the text at the cursor asks yes or no: %q"
	case AsksMore(d.AtCursor):
		reason, quiet, why = AwaitingInput, wordsQuiet, "the text at the cursor is a pager's: %q"
	case LooksLikePrompt(d.AtCursor) && (!d.Marks.Running || d.Kernel.LeaderReads) && (d.EditorReads || !d.Kernel.HasPrompted):
		// A program whose prompt is known would show that prompt. If it shows another text of this
		// shape, that text is a prompt only if a line editor has begun to read.
		quiet, why = shapeQuiet, "the text at the cursor has the shape of a prompt: %q"
	}
	if why == "" || !d.quietFor(quiet) {
		return Verdict{}, false
	}
	return done(reason, LayerLearned, fmt.Sprintf(why, d.AtCursor)), true
}

// continuesAlone reports whether the program may soon continue without input: it waits for more
// than its terminal, and its wait has a time limit that is shorter than longRead or unknown (0).
func (d *decision) continuesAlone() bool {
	return d.Kernel.Waiting && !d.Kernel.OnlyTerminal && d.Kernel.Timed && d.Kernel.TimeLimit < longRead
}
