package detect

import "time"

// marks is the layer of shell marks (OSC 133).
func (d *decision) marks() (Verdict, bool) {
	switch {
	case d.Marks.Back && !d.Marks.Prompt && (d.Kernel.Reader || d.Kernel.Main && d.Kernel.Waiting) && d.after(flushQuiet):
		// The shell reads its terminal, so it has read the input.
	case !d.Marks.Prompt:
		return Verdict{}, false
	case !d.Kernel.Looked:
		d.look = true
		d.later(d.Now.Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	case d.Kernel.Waiting && d.Kernel.Final:
	case d.Marks.Lines && d.busy() && !d.after(d.atWork()):
		d.look = true
		return Verdict{}, false
	case d.Marks.Lines && !d.Kernel.Waiting && !d.after(learnedQuiet), !d.after(markQuiet):
		return Verdict{Again: d.again}, true
	case d.Kernel.Waiting && d.Kernel.Timed && !d.Kernel.Seen && !d.after(linesQuiet):
		// After fish has sent a universal variable to other shells, it waits for its own
		// message, and redraws its prompt if the variable is a colour.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Reader && d.Marks.Left && !d.after(linesQuiet):
		// fish reports a job that has ended, waits for its helper processes and its
		// terminal, and then draws its prompt again.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Reader:
		// Helper processes in the shell's own group do not matter.
	case d.busy() && !d.Kernel.Own:
		// Another program is in the foreground and busy: the marks are not the shell's, or
		// old ones that the program shows again.
		return Verdict{}, false
	case d.busy() && !d.after(d.atWork()):
		// The shell may still have something to draw, or a thread of Python is busy that
		// does not belong to the prompt.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Age > staleLook:
		// A program that it started may be in the foreground by now.
		d.look = true
		d.later(d.Now.Add(lookDelay))
		return Verdict{Again: d.again, Look: true}, true
	}
	why := []string{"the shell marked the end of its prompt (OSC 133;B) after the input"}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	return done(Prompt, LayerMarks, why...), true
}

// atWork is how long to wait for a program that is busy at its prompt. It is long if no
// process reads the terminal: then the program has not reached its prompt, however long a
// busy machine delays it.
func (d *decision) atWork() time.Duration {
	if d.Kernel.Listens {
		return linesQuiet
	}
	return silentSettle
}
