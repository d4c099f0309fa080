package detect

import "time"

// marks is the layer that decides by shell marks (OSC 133).
func (d *decision) marks() (Verdict, bool) {
	switch {
	case d.Marks.PromptMarked && !d.Marks.Prompt && d.Kernel.MainInForeground && (d.Kernel.LeaderReads || d.Kernel.Waiting) && d.quietFor(flushQuiet):
		// The shell reads its terminal again. If the command has not read the input, the shell has.
	case !d.Marks.Prompt:
		return Verdict{}, false
	case !d.Kernel.Current:
		return d.lookAt(d.Now.Add(lookDelay))
	case d.Kernel.Waiting && d.Kernel.Final:
	case d.Marks.LinesPending && d.isBusy() && !d.quietFor(d.busyLimit()):
		return Verdict{}, false
	case d.Marks.LinesPending && !d.Kernel.Waiting && !d.quietFor(learnedQuiet), !d.quietFor(markQuiet):
		return Verdict{Again: d.again}, true
	case (d.Kernel.Waiting && d.Kernel.Timed && !d.Kernel.SeenAtPrompt || d.isBusy() && d.mainReads() && d.Marks.CursorMoved) && !d.quietFor(busyMarkQuiet):
		// The shell may draw its prompt again. After fish has sent a universal variable to other shells, it
		// waits for its own message, and redraws its prompt if the variable is a colour. After a job has
		// ended, fish reports the job, waits for its helper processes, and redraws its prompt.
		return d.lookAt(d.Now.Add(busyLookMin))
	case d.isBusy() && d.mainReads():
		// The shell reads its terminal. Only helper processes in the shell's own group are busy.
	case d.isBusy() && !d.Kernel.MainInForeground && !d.Kernel.HasPrompted:
		// Another program is in the foreground and busy, and has written the marks itself.
		return Verdict{}, false
	case d.isBusy() && !d.quietFor(d.busyLimit()):
		// The shell may still have something to draw. Or a thread of Python is busy with something
		// other than the prompt.
		return d.lookAt(d.Now.Add(busyLookMin))
	case d.isBusy() && d.Now.Sub(d.Kernel.At) > staleLook:
		// Since this look, the shell may have started a program that is now in the foreground.
		return d.lookAt(d.Now.Add(lookDelay))
	}
	why := []string{"the shell marked the end of its prompt (OSC 133;B) after the input"}
	if d.Kernel.Text != "" {
		why = append(why, d.Kernel.Text)
	}
	return done(Prompt, LayerMarks, why...), true
}

// mainReads reports whether the session's own program waits to read this terminal while its helpers are busy.
func (d *decision) mainReads() bool { return d.Kernel.MainInForeground && d.Kernel.LeaderReads }

// busyLimit returns the time to wait for a program that is busy at its prompt. If no process reads
// the terminal, the program has not reached its prompt yet. A busy machine may delay it, so the
// time is long then.
func (d *decision) busyLimit() time.Duration {
	if d.Kernel.HasReader {
		return busyMarkQuiet
	}
	return silentSettle
}
