package detect

import "time"

// marks is the layer of OSC 133.
func (d *decision) marks() (Verdict, bool) {
	switch {
	case d.Marks.Back && !d.Marks.Prompt && (d.Kernel.Reader || d.Kernel.Main && d.Kernel.Waiting) && d.after(flushQuiet):
		// It reads its terminal, and what was typed is not there any more.
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
		// fish listens to itself for a while after it has told other shells of a
		// variable, and redraws its prompt when the variable is one of colours.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Reader && d.Marks.Left && !d.after(linesQuiet):
		// fish tells of a job that has ended, waits for its helpers and its terminal,
		// and then draws its prompt again.
		d.look = true
		d.later(d.Now.Add(busyLookMin))
		return Verdict{Again: d.again, Look: true}, true
	case d.busy() && d.Kernel.Reader:
		// Helpers that the shell has started in its own group are no concern.
	case d.busy() && !d.Kernel.Own:
		// Another program is in front, and at work: the marks are not the shell's,
		// or old ones that a program shows again.
		return Verdict{}, false
	case d.busy() && !d.after(d.atWork()):
		// The shell may still have something to draw, or only a thread of
		// Python's that has nothing to do with the prompt is at work.
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

// atWork is how long a program that works behind its prompt is waited for: one of
// which nobody reads the terminal is not at that prompt, however long a busy
// machine keeps it from going on.
func (d *decision) atWork() time.Duration {
	if d.Kernel.Listens {
		return linesQuiet
	}
	return silentSettle
}
