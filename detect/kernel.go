package detect

import "strings"

// kernel is the layer of the kernel's view: what the foreground processes wait for.
func (d *decision) kernel() (Verdict, bool) {
	if !d.Kernel.Looked {
		// Weaker layers wait for a look.
		d.look = true
		d.later(d.lastEvent().Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.fed() {
		return done(AwaitingInput, LayerKernel, d.Kernel.Text, "it reads keys while its input comes"), true
	}
	if !d.Kernel.Known || !d.Kernel.Waiting || !d.sure() {
		d.lookOn()
		return Verdict{}, false
	}
	if d.Kernel.Final && !d.shown() {
		return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
	}
	if d.passes() && !d.after(passingLimit) {
		d.lookOn()
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.blinks() && !d.renewed() && !d.after(silentSettle) {
		d.look = true
		d.later(d.Now.Add(timedQuiet))
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.due() && !d.prompted() && !(d.Kernel.Sure && d.asks()) {
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.works() || d.Kernel.Loop && d.spins() {
		d.lookOn()
		return Verdict{}, false
	}
	quiet := kernelQuiet
	switch {
	case d.shown():
		quiet = d.Pace.Redraw
	case d.blinks(), d.Kernel.Unproven:
		quiet = flushQuiet
	case d.Kernel.Others && !d.Kernel.Seen && d.Output.Since == 0:
		quiet = silentQuiet
	case d.Kernel.Timed && !d.Kernel.Seen && !d.Kernel.Home:
		quiet = timedQuiet
	}
	if stable := d.Now.Sub(d.Kernel.Since); stable < quiet || d.quiet < quiet {
		d.look = true
		d.later(d.Kernel.Since.Add(quiet))
		d.at(quiet)
		return Verdict{Again: d.again, Look: true}, true
	}
	return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
}

// fed reports whether a full-screen program has drawn the result of the keys although it
// continues to draw while its own input comes, as fzf behind find.
func (d *decision) fed() bool {
	if !d.FullScreen || d.Blank || !d.Kernel.Fed || d.Output.Drawn.IsZero() {
		return false
	}
	drawn := d.Output.Drawn.Add(fedDraws)
	if d.Now.Before(drawn) || d.quiet < kernelQuiet {
		d.look = true
		d.later(drawn)
		return false
	}
	return true
}

// shown reports whether the program that waits is in a terminal that a full-screen program
// shows: Neovim draws that terminal's output a few milliseconds later.
func (d *decision) shown() bool { return d.FullScreen && d.Kernel.Relayed }

// due reports whether a timer is set that may belong to the input, and asks to look again
// when it fires.
func (d *decision) due() bool {
	if d.Kernel.Due.IsZero() {
		return false
	}
	d.look = true
	d.later(d.Kernel.Due)
	return true
}

// lookOn asks to look again, less and less often: only a look shows that a program has
// begun to wait without writing.
func (d *decision) lookOn() {
	d.look = true
	d.later(d.Now.Add(min(max(d.quiet/3, busyLookMin), busyLookMax)))
}

// works reports whether a program that waits for input may still write more: a timer will
// wake it, or another program of its group, and nothing on the screen asks for input. If
// one thread reads and another one answers, or another program of a pipeline, the reader
// reads again at once.
func (d *decision) works() bool {
	k := &d.Kernel
	switch {
	case d.TTY.secret() || k.Secret:
		return false
	case k.Loop:
		return !k.Hides.IsZero() && !k.Home && !d.prompted()
	case d.FullScreen || d.asks():
		return false
	}
	return !k.Hides.IsZero() || k.Timed && !k.Seen && k.Ends < longRead
}

// passes reports whether a program's wait may be too short to be for a person: for the rest
// of a key that begins with Escape; or, in a full-screen program whose main loop is known,
// anywhere outside of it, such as a thread's wait for the end of another.
func (d *decision) passes() bool {
	k := &d.Kernel
	elsewhere := d.FullScreen && k.Away
	return (d.Input.Escaped || elsewhere) && k.Timed && k.Sure && k.Ends <= maxPassing && !k.Renewed && !k.Home
}

// blinks reports whether a line editor may be showing the parenthesis that matches the one
// just typed, as Octave's readline does for half a second before it reads on: the cursor
// is in the text, or in the line where Enter was typed.
func (d *decision) blinks() bool {
	k := &d.Kernel
	edits := d.TTY.Known && !d.TTY.Canonical && !d.FullScreen
	return edits && k.Timed && k.Sure && d.Input.Submitted && (!d.Input.Moved || d.OnText)
}

// renewed reports whether such a wait has ended without output, or is longer than any such
// wait.
func (d *decision) renewed() bool {
	if d.Kernel.Ends == 0 || d.Kernel.Ends >= maxBlink {
		return d.after(maxBlink)
	}
	return d.Kernel.Renewed
}

// sure reports whether a program waits for its user, although it may wait for more than
// this terminal.
func (d *decision) sure() bool {
	if d.Kernel.Sure || d.Kernel.Loop {
		return true
	}
	if d.FullScreen {
		return d.Kernel.Home
	}
	return d.Kernel.Asked && d.Marks.Running || d.prompted()
}

// prompted reports whether a program is at its prompt, by evidence other than the wait
// alone, since an event loop always waits in the same way: it waits as it has at prompts
// and shows a learned one; or its line editor has begun to read since the input, and the
// text asks for more.
func (d *decision) prompted() bool {
	if d.FullScreen || !d.moved() {
		return false
	}
	return d.Kernel.Seen && d.Learned.Prompt && d.Whole && !d.Plain || d.Kernel.Loop && d.Edited && d.asks()
}

// asks reports whether the text at the cursor is a prompt or a question.
func (d *decision) asks() bool {
	if d.Learned.Prompt || d.Learned.Continues || d.Learned.Again || LooksLikePrompt(d.AtCursor) || AsksYesNo(d.AtCursor) || AsksMore(d.AtCursor) {
		return true
	}
	bare := strings.TrimRight(d.AtCursor, " ")
	return strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":")
}

// moved reports whether the prompt at the cursor can be a new one. ssh waits for its user
// even before the remote side has echoed the typed text. A line editor that has begun to
// read since has redrawn its prompt.
func (d *decision) moved() bool { return !d.Input.Typed || d.Input.Moved || d.Edited }

// waitingReason returns the reason for a program that waits for this terminal.
func (d *decision) waitingReason() Reason {
	switch {
	case d.TTY.secret(), d.Kernel.Secret:
		return Password
	case d.FullScreen:
		return AwaitingInput
	case AsksSecret(d.AtCursor):
		return Password
	case d.Learned.Prompt, d.Learned.Continues, LooksLikePrompt(d.AtCursor), d.Learned.Again && d.Input.Moved:
		return Prompt
	}
	return AwaitingInput
}

// busy reports whether the foreground program is known to do something else than wait for
// the terminal.
func (d *decision) busy() bool { return d.Kernel.Known && !d.Kernel.Waiting }
