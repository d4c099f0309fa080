package detect

import "time"

// How long the terminal must have been quiet before a layer is believed.
const (
	markQuiet    = 2 * time.Millisecond   // after a shell's own mark
	linesQuiet   = 150 * time.Millisecond // the same, with typed lines that it may take up yet
	kernelQuiet  = 5 * time.Millisecond   // two equal looks of the kernel's view this far apart
	flushQuiet   = 25 * time.Millisecond  // the same, when the input may not have reached the program yet
	timedQuiet   = 20 * time.Millisecond  // a wait with a time limit, never seen at a prompt: irb peeks for typed input so, for 1 ms
	fedDraws     = 150 * time.Millisecond // since it drew what was typed, of a program that draws on while its input comes: fzf puts off its search by up to 100 ms
	silentQuiet  = 250 * time.Millisecond // the same, when it has other threads at rest and has not written: fzf reads keys before it draws
	frontQuiet   = 4 * time.Millisecond   // a learned prompt, by the process and modes it was learned with
	learnedQuiet = 30 * time.Millisecond  // a learned prompt otherwise
	shapeQuiet   = 100 * time.Millisecond // text of the shape of a prompt
	wordsQuiet   = 30 * time.Millisecond  // words that ask for a secret, or yes or no
	secretQuiet  = 100 * time.Millisecond // line mode without echo, all this time
	secretAsleep = 300 * time.Millisecond // the same, of a program that does not seem to read
	// longRead is the least time limit of a read that is meant for a person: a
	// program does not look for keys that long between two steps of its work.
	longRead = 5 * time.Second
	// maxBlink is the longest wait that a line editor may keep typed text waiting for.
	maxBlink = time.Second
	// maxPassing is how long a wait may be that is not for a person: for so long ncurses
	// waits by default for the rest of a key that begins with Escape.
	maxPassing = time.Second
	// passingLimit is how long such a wait is waited out: it began some time after the
	// input was written, and a key that comes as it ends would be taken for the rest.
	passingLimit = maxPassing + 150*time.Millisecond
	lookDelay    = 500 * time.Microsecond
	// staleLook is how old a look may be that says that a shell works at its prompt.
	staleLook = 10 * time.Millisecond
	// busyLook is how often a busy foreground is looked at again; it grows with
	// the time since the last output.
	busyLookMin = 250 * time.Microsecond
	busyLookMax = 100 * time.Millisecond
	// unreadLook is when to ask again whether output is unread. No event need follow:
	// a read that was under way may find nothing, and ctrl+c makes the terminal drop
	// what it holds.
	unreadLook = time.Millisecond
	// heldLimit is how long a half-drawn update is waited for.
	heldLimit = time.Second
	// silentSettle is the least pause after which an answer that never began is
	// given up as settled.
	silentSettle = 1800 * time.Millisecond // so that a silent program is answered for within two seconds
	// startSettle is the same for a program that is still starting, as jshell and the
	// Gemini CLI do for seconds.
	startSettle = 30 * time.Second
	// startRest is how long such a program must have rested to be taken for one that
	// has started, and has nothing to say.
	startRest = 500 * time.Millisecond
	// busySettle is the least pause of a program that the kernel sees at work.
	busySettle = time.Second
	// periodicAfter is how long a steady repaint is watched before it is taken
	// for all that will come.
	periodicAfter = time.Second
	periodicBusy  = 3 * time.Second // the same, of one that has read keys before and does not now
	// spinQuiet is how long the sign of a spinner must have stood still.
	spinQuiet = 300 * time.Millisecond
)

// Decide returns the verdict on e: what the strongest layer that knows says, or
// when to decide again.
func Decide(e Evidence) Verdict {
	if e.Exited {
		return done(Exited, LayerExit, "the child was reaped and its terminal is drained")
	}
	d := decision{Evidence: e, quiet: e.Now.Sub(e.lastEvent())}
	switch {
	case e.Input.Queued:
		return Verdict{}
	case e.Output.Unread:
		d.later(e.Now.Add(unreadLook))
		return Verdict{Again: d.again}
	case e.Output.Held && d.quiet < heldLimit:
		return d.at(heldLimit)
	}
	for _, layer := range []func(*decision) (Verdict, bool){
		(*decision).marks, (*decision).kernel, (*decision).secret, (*decision).learned, (*decision).settled,
	} {
		if v, ok := layer(&d); ok {
			return v
		}
	}
	return Verdict{Again: d.again, Look: d.look}
}

// lastEvent returns when the session last saw output or input.
func (e *Evidence) lastEvent() time.Time {
	if e.Output.Last.After(e.Input.At) {
		return e.Output.Last
	}
	return e.Input.At
}

// A decision is a verdict in the making: each layer decides, or says when it
// could.
type decision struct {
	Evidence
	quiet time.Duration // since the last output or input
	again time.Time
	look  bool
}

// done returns the verdict that the wait is over.
func done(r Reason, l Layer, why ...string) Verdict {
	return Verdict{Done: true, Reason: r, Layer: l, Why: why}
}

// at asks to decide again when it has been quiet for q.
func (d *decision) at(q time.Duration) Verdict {
	d.later(d.lastEvent().Add(q))
	return Verdict{Again: d.again, Look: d.look}
}

// later asks to decide again at t, or earlier when another layer wants to.
func (d *decision) later(t time.Time) {
	if !t.After(d.Now) {
		t = d.Now.Add(lookDelay)
	}
	if d.again.IsZero() || t.Before(d.again) {
		d.again = t
	}
}

// after reports whether it has been quiet for q, and asks to be called when it
// has.
func (d *decision) after(q time.Duration) bool {
	if d.quiet >= q {
		return true
	}
	d.at(q)
	return false
}
