package detect

import "strings"

// kernel is the layer of what the foreground processes wait for.
func (d *decision) kernel() (Verdict, bool) {
	if !d.Kernel.Looked {
		// Weaker layers wait for what the kernel says.
		d.look = true
		d.later(d.lastEvent().Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	}
	if !d.Kernel.Known || !d.Kernel.Waiting || !d.sure() {
		d.lookOn()
		return Verdict{}, false
	}
	if d.Kernel.Final && !d.shown() {
		return done(d.waitingReason(), LayerKernel, d.Kernel.Text), true
	}
	if d.blinks() && !d.renewed() && !d.after(silentSettle) {
		d.look = true
		d.later(d.Now.Add(timedQuiet))
		return Verdict{Again: d.again, Look: true}, true
	}
	if d.works() {
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

// shown reports whether a full-screen program shows the terminal of another, which is
// the one that waits: Neovim draws what came there a few milliseconds later.
func (d *decision) shown() bool { return d.FullScreen && d.Kernel.Relayed }

// lookOn asks to look again, ever more seldom: nothing else tells of a program that
// begins to wait without writing.
func (d *decision) lookOn() {
	d.look = true
	d.later(d.Now.Add(min(max(d.quiet/3, busyLookMin), busyLookMax)))
}

// works reports whether a program that can read what is typed next may have more
// to say before: something else than input will wake it, or another of its group,
// and nothing on the screen asks for input. Where one thread reads and another one
// answers, or one program of a pipeline, the reader is back at its read at once.
func (d *decision) works() bool {
	if d.FullScreen || d.TTY.secret() || d.Kernel.Secret || d.asks() {
		return false
	}
	return d.Kernel.Others || d.Kernel.Timed && !d.Kernel.Seen && d.Kernel.Ends < longRead
}

// blinks reports whether a line editor may show for a moment which parenthesis
// the one just typed closes, as Octave's readline does for half a second, while it
// holds the rest of what was typed: the cursor stands in the text, or in the line
// where Enter was typed.
func (d *decision) blinks() bool {
	k := &d.Kernel
	edits := d.TTY.Known && !d.TTY.Canonical && !d.FullScreen
	return edits && k.Timed && k.Sure && d.Input.Submitted && (!d.Input.Moved || d.OnText)
}

// renewed reports whether such a wait has ended, and nothing has come of it, or
// is too long for one.
func (d *decision) renewed() bool {
	if d.Kernel.Ends == 0 || d.Kernel.Ends >= maxBlink {
		return d.after(maxBlink)
	}
	return d.Kernel.Renewed
}

// sure reports whether a program that waits, not for this terminal alone, does
// so for its user.
func (d *decision) sure() bool {
	if d.FullScreen {
		return d.Kernel.Sure || d.Kernel.Home
	}
	return d.Kernel.Sure || d.Kernel.Asked && d.Marks.Running || d.Kernel.Seen && d.Learned.Prompt && d.Whole && !d.Plain && d.moved()
}

// asks reports whether the text at the cursor asks its reader for something.
func (d *decision) asks() bool {
	if d.Learned.Prompt || d.Learned.Continues || d.Learned.Again || LooksLikePrompt(d.AtCursor) || AsksYesNo(d.AtCursor) {
		return true
	}
	bare := strings.TrimRight(d.AtCursor, " ")
	return strings.HasSuffix(bare, "?") || strings.HasSuffix(bare, ":")
}

// moved reports whether the prompt at the cursor can be a new one. ssh waits
// for its user while the remote side has not even echoed what was typed.
// A line editor that has taken over since has drawn its prompt anew.
func (d *decision) moved() bool { return !d.Input.Typed || d.Input.Moved || d.Edited }

// waitingReason says what a program that waits for this terminal waits for.
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

// busy reports whether the kernel says that the foreground does something else
// than wait for the terminal.
func (d *decision) busy() bool { return d.Kernel.Known && !d.Kernel.Waiting }
