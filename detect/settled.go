package detect

import (
	"fmt"
	"time"
)

// settled is the layer of pauses. Its verdict is a guess.
func (d *decision) settled() (Verdict, bool) {
	comesBack := d.comesBack()
	if comesBack && !d.FullScreen || d.spins() {
		return Verdict{}, false
	}
	watched := periodicAfter
	if comesBack {
		watched = periodicBusy
	}
	if d.Pace.Periodic && d.Output.Spins.IsZero() && d.Now.Sub(d.Input.At) >= watched {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame"), true
	}
	if comesBack || d.due() {
		return Verdict{}, false
	}
	q := d.Pace.Settle
	if d.busy() && (!d.FullScreen || !d.Kernel.Asleep) {
		q = max(q, busySettle)
		if !d.Kernel.Asleep {
			q = max(q, silentSettle) // it runs: it computes
		}
	}
	if d.Kernel.Waiting && d.drawnSoon(q) || d.FullScreen && d.handedOver() {
		q = d.Pace.Redraw
		if d.Kernel.Away && d.Kernel.Wakes < silentSettle {
			q += d.Kernel.Wakes // as nvim in :sleep
		}
	}
	if d.Kernel.Loop || d.FullScreen && !d.Kernel.Sure {
		switch d.Output.Says {
		case BusySpins:
			q = max(q, spinQuiet)
		case BusySays:
			q = max(q, silentSettle)
		}
	}
	if d.Output.Since == 0 || d.Blank {
		q = max(q, silentSettle)
		if d.starts() {
			q = startSettle
		}
	}
	if !d.after(q) {
		return Verdict{}, false
	}
	return done(Settled, LayerSettled, d.doubts()...), true
}

// drawnSoon reports whether a program that waits for keys has drawn its whole answer once
// it has drawn anything, as full screens and menus do after a key. After Enter it may do
// more, which the timers of an event loop may hide for the time hidden.
func (d *decision) drawnSoon(hidden time.Duration) bool {
	if !d.Kernel.Loop {
		return d.FullScreen
	}
	return (d.FullScreen || d.Drawn) && !d.Input.Submitted || d.Now.Add(hidden).Before(d.Kernel.Hides)
}

// spins reports whether something on the screen spins, and nothing else shows when the
// program has finished.
func (d *decision) spins() bool {
	if !d.Now.Before(d.Output.Spins) || d.Kernel.Waiting && d.Kernel.Sure {
		return false
	}
	d.later(d.Output.Spins)
	return true
}

// starts reports whether a program is still starting: it has had no input and has run
// recently.
func (d *decision) starts() bool {
	return !d.Input.Typed && d.busy() && (!d.Kernel.Asleep || d.Now.Sub(d.Kernel.Since) < startRest)
}

// handedOver reports whether a full-screen program has passed its terminal to another
// process, as tmux's client does: it sleeps and has never waited for the terminal, and yet
// the input was answered.
func (d *decision) handedOver() bool {
	return d.busy() && d.Kernel.Asleep && !d.Kernel.Reads && !d.Kernel.Relayed && d.Input.Typed && d.Output.Since > 0
}

// doubts explains why only the pause decided: it lists what the stronger layers saw.
func (d *decision) doubts() []string {
	why := []string{fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond))}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	if d.AtCursor != "" {
		why = append(why, fmt.Sprintf("the text at the cursor, %q, is not a prompt that was learned", d.AtCursor))
	}
	return why
}

// comesBack reports whether to wait for a prompt rather than a pause: a program that has
// prompted or read its terminal before is busy, or reads keys without having asked for
// any.
func (d *decision) comesBack() bool {
	if d.FullScreen {
		// As vim does in :sleep or :make.
		return d.busy() && d.Kernel.Reads
	}
	if d.Kernel.Waiting && !d.Kernel.Sure && !d.prompted() && d.Kernel.Prompts && d.AtCursor == "" && !d.Drawn {
		return !d.Input.Prompted && !d.after(d.keyless()) // node continues to print after its prompt
	}
	return d.Marks.Starting || d.Marks.Running && !d.Kernel.Known || d.busy() && !d.Kernel.Reader && (d.Expected || d.Kernel.Reads)
}

// keyless is how long to wait for more output of a program that has prompted and now reads
// keys without asking for any, as node does in an await and in its editor mode. It is
// shorter if the program's next timer is far off.
func (d *decision) keyless() time.Duration {
	if d.Kernel.Timed && d.Kernel.Ends >= longRead {
		return silentSettle
	}
	return longRead
}

// Quiet returns the verdict of a wait for a pause only: settled, or exited.
func Quiet(e Evidence) Verdict {
	if e.Exited || e.Input.Queued || e.Output.Unread {
		return Decide(e)
	}
	d := decision{Evidence: e, quiet: e.Now.Sub(e.lastEvent())}
	if e.Output.Held && d.quiet < heldLimit {
		return d.at(heldLimit)
	}
	if d.Pace.Periodic && d.Now.Sub(d.Input.At) >= periodicAfter {
		return done(Settled, LayerSettled, "the program repaints in a steady rhythm and has just finished a frame")
	}
	if !d.after(d.Pace.Settle) {
		return Verdict{Again: d.again}
	}
	return done(Settled, LayerSettled, fmt.Sprintf("no output for %s", d.quiet.Round(time.Millisecond)))
}
