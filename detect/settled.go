package detect

import (
	"fmt"
	"time"
)

// settled is the layer that decides by pauses. Its verdict is a guess.
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
			q = max(q, silentSettle) // it is computing
		}
	}
	if d.answersLater() {
		q = max(q, min(quietPolls*d.Kernel.TimeLimit, silentSettle))
	}
	if d.Kernel.Waiting && d.drawsAtOnce(q) || d.FullScreen && d.passedTerminal() {
		q = d.Pace.Redraw
		if d.Kernel.AtOtherPlace && d.Kernel.WakesAfter < silentSettle {
			q += d.Kernel.WakesAfter // as nvim does in :sleep
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

// drawsAtOnce reports whether a program that waits for keys draws its whole answer at once, as
// programs with a full screen or menu do after a key. After Enter, a program with an event
// loop may do more when a timer fires. Then its next timer must be known, and fire later than
// pause from now.
func (d *decision) drawsAtOnce(pause time.Duration) bool {
	if !d.Kernel.EventLoop {
		return d.FullScreen
	}
	return (d.FullScreen || d.CursorHidden) && !d.Input.Submitted || d.Now.Add(pause).Before(d.Kernel.OtherDue)
}

// isSpinning reports whether something on the screen spins and there is no other evidence
// that the program has finished. It then requests another decision.
func (d *decision) isSpinning() bool {
	if !d.Now.Before(d.Output.SpinsUntil) || d.Kernel.Waiting && d.Kernel.OnlyTerminal && !d.answersLater() {
		return false
	}
	d.decideBy(d.Output.SpinsUntil)
	return true
}

// isStarting reports whether a program is still starting: it has had no input, does not wait for
// any, and has run recently.
func (d *decision) isStarting() bool {
	return !d.Input.Typed && d.isBusy() && (!d.Kernel.Asleep || d.Now.Sub(d.Kernel.Since) < startRest)
}

// passedTerminal reports whether a full-screen program has passed its terminal to another
// process, as tmux's client does: it sleeps and has never waited for the terminal, but
// the input was answered.
func (d *decision) passedTerminal() bool {
	return d.isBusy() && d.Kernel.Asleep && !d.Kernel.HasRead && !d.Kernel.Nested && d.Input.Typed && d.Output.AnswerBytes > 0
}

// explainPause explains why only the pause decided, by listing what the stronger layers
// saw.
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

// promptExpected reports whether to wait for a prompt rather than for a pause: a program that has
// shown prompts or read its terminal before is busy, or reads keys without a prompt; or marks show
// that a shell is starting or, if the kernel shows nothing, that the shell runs a command.
func (d *decision) promptExpected() bool {
	if d.FullScreen {
		// For example vim in :sleep or :make.
		return d.isBusy() && d.Kernel.HasRead
	}
	unprompted := d.Kernel.Waiting && !d.Kernel.OnlyTerminal && d.AtCursor == "" || d.answersLater() && (d.AtCursor == "" || !d.promptMayBeNew())
	if unprompted && !d.atPrompt() && d.Kernel.HasPrompted && !d.CursorHidden {
		return !d.Input.Prompted && !d.quietFor(d.unpromptedLimit()) // node may continue to print after its prompt
	}
	return d.Marks.Starting || d.Marks.Running && !d.Kernel.Known || d.isBusy() && !d.Kernel.MainReads && (d.PromptExpected || d.Kernel.HasRead)
}

// unpromptedLimit returns the time to wait for more output of a program that has shown prompts
// and now reads keys without a prompt, as node does in an await and in its editor
// mode. It is shorter if the program's next timer is far in the future.
func (d *decision) unpromptedLimit() time.Duration {
	if d.Kernel.Timed && d.Kernel.TimeLimit >= longRead {
		return silentSettle
	}
	return longRead
}

// Quiet returns the verdict for a caller that waits only for a pause or the program's end.
func Quiet(e Evidence) Verdict { return decide(e, (*decision).pause) }

// pause is the only layer of Quiet.
func (d *decision) pause() (Verdict, bool) {
	if d.Pace.Periodic && d.Now.Sub(d.Input.At) >= periodicAfter {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame"), true
	}
	why := fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond))
	return done(Settled, LayerSettled, why), d.quietFor(d.Pace.Settle)
}
