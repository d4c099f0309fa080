package detect

import (
	"fmt"
	"time"
)

// secret is the layer of the terminal's modes: programs read a password in canonical mode
// without echo (getpass(3)). Words are the fallback.
func (d *decision) secret() (Verdict, bool) {
	if d.FullScreen {
		return Verdict{}, false
	}
	if d.Input.Submitted && d.Output.Since == 0 {
		return Verdict{}, false // the prompt on the screen was just answered
	}
	if d.TTY.secret() && d.secretFor(secretQuiet) && !d.busy() {
		return done(Password, LayerKernel, "the terminal is in line mode with echo off"), true
	}
	if d.TTY.secret() && d.busy() && d.Kernel.Asleep && AsksSecret(d.AtCursor) && d.secretFor(secretAsleep) {
		// The reading program may be hidden behind another one, as sudo behind su.
		return done(Password, LayerKernel, fmt.Sprintf("the terminal stays in line mode with echo off, no program runs, and the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	if d.busy() {
		return Verdict{}, false
	}
	if !d.TTY.secret() && AsksSecret(d.AtCursor) && (d.moved() || !d.Input.Submitted) && d.after(wordsQuiet) {
		return done(Password, LayerLearned, fmt.Sprintf("the text at the cursor asks for a secret: %q", d.AtCursor)), true
	}
	return Verdict{}, false
}

// secretFor reports whether the terminal has been quiet, with the modes for a password, for
// q. Other programs may set these modes for a moment.
func (d *decision) secretFor(q time.Duration) bool {
	since := d.TTY.Since
	if last := d.lastEvent(); last.After(since) {
		since = last
	}
	if d.Now.Sub(since) >= q {
		return true
	}
	d.later(since.Add(q))
	return false
}

// learned is the layer of prompts by their text.
func (d *decision) learned() (Verdict, bool) {
	if d.busy() && !d.Kernel.Reader || d.FullScreen || !d.moved() {
		return Verdict{}, false
	}
	if d.Kernel.Waiting && !d.Kernel.Sure && d.Learned.Prompt && (!d.Whole || d.Plain) {
		// An event loop always waits so. ">>> " does not end in the prompt "> ", and a plain
		// "> " from a program that draws its prompt (node) is output.
		return Verdict{}, false
	}
	switch {
	case d.Learned.Prompt && d.SameFront:
		if d.after(frontQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the learned prompt %q came back, with the same process in front and the same terminal modes", d.AtCursor)), true
		}
	case d.Learned.Prompt:
		if d.after(learnedQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the learned prompt %q came back", d.AtCursor)), true
		}
	case d.Learned.Continues:
		if d.after(learnedQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the text at the cursor, %q, continues a learned prompt", d.AtCursor)), true
		}
	case d.Kernel.Reader && d.Kernel.Asked && d.Marks.Running && d.asks():
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerKernel, d.Kernel.Text, fmt.Sprintf("the shell itself reads its terminal, and asks %q", d.AtCursor)), true
		}
	case (AsksYesNo(d.AtCursor) || AsksMore(d.AtCursor)) && d.goesOn():
		// Words alone are not enough: node may print "[Y/n]" in the middle of its output.
	case AsksYesNo(d.AtCursor):
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerLearned, fmt.Sprintf("the text at the cursor asks yes or no: %q", d.AtCursor)), true
		}
	case AsksMore(d.AtCursor):
		if d.after(wordsQuiet) {
			return done(AwaitingInput, LayerLearned, fmt.Sprintf("the text at the cursor is a pager's: %q", d.AtCursor)), true
		}
	case LooksLikePrompt(d.AtCursor) && !d.Marks.Running && (d.Edited || !d.Kernel.Prompts):
		// A program whose prompt is known would show that prompt: without a line editor
		// this is output.
		if d.after(shapeQuiet) {
			return done(Prompt, LayerLearned, fmt.Sprintf("the text at the cursor has the shape of a prompt: %q", d.AtCursor)), true
		}
	}
	return Verdict{}, false
}

// goesOn reports whether the program will soon continue by itself: it waits for keys and
// for a timer.
func (d *decision) goesOn() bool {
	return d.Kernel.Waiting && !d.Kernel.Sure && d.Kernel.Timed && d.Kernel.Ends < longRead
}
