package detect

import (
	"fmt"
	"time"
)

// settled is the weakest layer. It decides by pauses in the output, and its verdict is a guess.
func (d *decision) settled() (Verdict, bool) {
	promptExpected := d.promptExpected()
	if promptExpected && !d.FullScreen || d.isSpinning() {
		return Verdict{}, false
	}
	minTime := periodicAfter
	if promptExpected {
		minTime = periodicBusy
	}
	if d.Pace.Periodic && d.Output.SpinsUntil.IsZero() && d.Now.Sub(d.Input.At) >= minTime {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame"), true
	}
	if promptExpected || d.timerDue() {
		return Verdict{}, false
	}
	q := d.Pace.Settle
	if d.isBusy() && (!d.FullScreen || !d.Kernel.Asleep) {
		q = max(q, busySettle)
		if !d.Kernel.Asleep {
			q = max(q, silentSettle) // the program runs
		}
	}
	if d.answersLater() {
		q = max(q, min(quietPolls*d.Kernel.TimeLimit, silentSettle))
	}
	if d.Kernel.Waiting && d.drawsAtOnce(q) || d.FullScreen && d.passedTerminal() {
		q = d.Pace.Redraw
		if d.Kernel.AtOtherPlace && d.Kernel.WakesAfter < silentSettle {
			q += d.Kernel.WakesAfter // nvim in :sleep wakes after this time and may draw
		}
	}
	if d.Kernel.EventLoop || d.FullScreen && !d.Kernel.OnlyTerminal {
		switch d.Output.Busy {
		case BusySpins:
			q = max(q, spinQuiet)
		case BusySays:
			q = max(q, silentSettle)
		}
	}
	if d.Output.AnswerBytes == 0 || d.Blank {
		q = max(q, silentSettle)
		if d.isStarting() {
			q = startSettle
		}
	}
	if !d.quietFor(q) {
		return Verdict{}, false
	}
	return done(Settled, LayerSettled, d.explainPause()...), true
}

// drawsAtOnce reports whether a program that waits for keys probably draws its whole answer at once.
// Without an event loop, a full-screen program does. With an event loop, a program does after a key other
// than Enter if it is full-screen or hides the cursor, as a menu does. Otherwise its event loop may draw
// more when a timer fires, so the next timer must be known and fire later than pause from now.
func (d *decision) drawsAtOnce(pause time.Duration) bool {
	if !d.Kernel.EventLoop {
		return d.FullScreen
	}
	return (d.FullScreen || d.CursorHidden) && !d.Input.Submitted || d.Now.Add(pause).Before(d.Kernel.OtherDue)
}

// isSpinning reports whether a spinner on the screen is moving. If so, it requests a decision for when the spinner
// stops. For a program that waits for this terminal alone and does not poll it, isSpinning is false.
func (d *decision) isSpinning() bool {
	if !d.Now.Before(d.Output.SpinsUntil) || d.Kernel.Waiting && d.Kernel.OnlyTerminal && !d.answersLater() {
		return false
	}
	d.decideBy(d.Output.SpinsUntil)
	return true
}

// isStarting reports whether a program is still starting: nothing has been typed to it, it does not
// wait for its terminal, and it has run within the last startRest.
func (d *decision) isStarting() bool {
	return !d.Input.Typed && d.isBusy() && (!d.Kernel.Asleep || d.Now.Sub(d.Kernel.Since) < startRest)
}

// passedTerminal reports whether a full-screen program has passed its terminal to another process,
// as tmux's client does. Such a program sleeps and has never waited for the terminal, and yet there
// was an answer to the input.
func (d *decision) passedTerminal() bool {
	return d.isBusy() && d.Kernel.Asleep && !d.Kernel.HasRead && !d.Kernel.Nested && d.Input.Typed && d.Output.AnswerBytes > 0
}

// explainPause says how long the pause was, and lists what the stronger layers saw, because that
// was not enough for them to decide.
func (d *decision) explainPause() []string {
	why := []string{fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond))}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	if d.AtCursor != "" {
		why = append(why, fmt.Sprintf("the text at the cursor, %q, is not a learned prompt", d.AtCursor))
	}
	return why
}

// promptExpected reports whether a prompt will follow, so that a pause is not the end of an answer. Either a program
// that has prompted or read its terminal before is busy. Or a program that has prompted reads keys without a prompt.
// Or marks show that a shell is starting or, if the kernel shows nothing, that the shell runs a command.
func (d *decision) promptExpected() bool {
	if d.FullScreen {
		// For example vim in :sleep or :make.
		return d.isBusy() && d.Kernel.HasRead
	}
	unprompted := d.Kernel.Waiting && !d.Kernel.OnlyTerminal && d.AtCursor == "" || d.answersLater() && (d.AtCursor == "" || !d.promptMayBeNew())
	if unprompted && !d.atPrompt() && d.Kernel.HasPrompted && !d.CursorHidden {
		return !d.Input.Prompted && !d.quietFor(d.unpromptedLimit()) // node may continue to print after its prompt
	}
	return d.Marks.Starting || d.Marks.Running && !d.Kernel.Known || d.isBusy() && !d.Kernel.LeaderReads && (d.PromptExpected || d.Kernel.HasRead)
}

// unpromptedLimit returns the time to wait for more output of a program that has shown prompts before and
// now reads keys without a prompt, as node does in an await and in its editor mode. The time is shorter if
// the program's wait has a time limit of at least longRead: no timer will fire soon.
func (d *decision) unpromptedLimit() time.Duration {
	if d.Kernel.Timed && d.Kernel.TimeLimit >= longRead {
		return silentSettle
	}
	return longRead
}

// Quiet returns the verdict for a caller that waits only for a pause or the program's end.
func Quiet(e Evidence) Verdict { return decide(e, (*decision).pause) }

// pause is the only layer of Quiet. It ignores prompts, shell marks and the kernel.
func (d *decision) pause() (Verdict, bool) {
	if d.Pace.Periodic && d.Now.Sub(d.Input.At) >= periodicAfter {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame"), true
	}
	why := fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond))
	return done(Settled, LayerSettled, why), d.quietFor(d.Pace.Settle)
}
