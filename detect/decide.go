package detect

import "time"

// How long the terminal must have been quiet before a layer is believed.
const (
	markQuiet    = 2 * time.Millisecond   // after a shell's own mark
	linesQuiet   = 150 * time.Millisecond // the same, with typed lines that it may still read
	kernelQuiet  = 5 * time.Millisecond   // between two equal looks at the kernel
	flushQuiet   = 25 * time.Millisecond  // the same, when the input may not have reached the program yet
	timedQuiet   = 20 * time.Millisecond  // a wait with a time limit, never seen at a prompt: irb peeks for typed input so, for 1 ms
	fedDraws     = 150 * time.Millisecond // since a program that draws while its input comes has drawn the typed keys: fzf delays its search by up to 100 ms
	silentQuiet  = 250 * time.Millisecond // after the input, if the program has other sleeping threads and has not written: fzf reads keys before it draws
	frontQuiet   = 4 * time.Millisecond   // a learned prompt, by the process and modes it was learned with
	learnedQuiet = 30 * time.Millisecond  // a learned prompt otherwise
	shapeQuiet   = 100 * time.Millisecond // text of the shape of a prompt
	wordsQuiet   = 30 * time.Millisecond  // words that ask for a secret, or yes or no
	secretQuiet  = 100 * time.Millisecond // line mode without echo, all this time
	secretAsleep = 300 * time.Millisecond // the same, of a program that does not seem to read
	// longRead is the least time limit of a read that waits for a person: a program does
	// not check for keys that long between two steps of its work.
	longRead = 5 * time.Second
	// maxBlink is the longest wait of a line editor that delays typed text.
	maxBlink = time.Second
	// maxPassing is the longest wait that is not for a person: ncurses waits so long by
	// default for the rest of a key that begins with Escape.
	maxPassing = time.Second
	// passingLimit is how long to let such a wait pass: it begins some time after the input
	// was written, and the program would take a key typed meanwhile for the rest.
	passingLimit = maxPassing + 150*time.Millisecond
	lookDelay    = 500 * time.Microsecond
	// staleLook is the greatest age of a look that shows a shell working at its prompt.
	staleLook = 10 * time.Millisecond
	// The bounds of the time between two looks at busy processes, which grows with the time
	// since the last output.
	busyLookMin = 250 * time.Microsecond
	busyLookMax = 100 * time.Millisecond
	// unreadLook is when to ask again whether output is unread. There need not be an event:
	// a read under way may find nothing, and ctrl+c makes the terminal drop its output.
	unreadLook = time.Millisecond
	// heldLimit is how long to wait for the rest of a screen that is drawn only in part.
	heldLimit = time.Second
	// silentSettle is the least pause after which a program that has not begun to answer
	// counts as settled.
	silentSettle = 1800 * time.Millisecond // so that a call to a silent program returns within two seconds
	// startSettle is the same for a program that is still starting, which takes jshell and
	// the Gemini CLI seconds.
	startSettle = 30 * time.Second
	// startRest is how long such a program must have been asleep to count as started.
	startRest = 500 * time.Millisecond
	// busySettle is the least pause of a program that is busy according to the kernel.
	busySettle = time.Second
	// periodicAfter is how long a program must have repainted at regular intervals to count
	// as settled.
	periodicAfter = time.Second
	periodicBusy  = 3 * time.Second // the same for a program that has read keys before and does not now
	// spinQuiet is how long a spinner must have stood still.
	spinQuiet = 300 * time.Millisecond
)

// Decide returns the verdict on e: that of the strongest layer that has one, or when to
// decide again.
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

// lastEvent returns the time of the last output or input.
func (e *Evidence) lastEvent() time.Time {
	if e.Output.Last.After(e.Input.At) {
		return e.Output.Last
	}
	return e.Input.At
}

// A decision is a verdict in the making. Each layer returns a verdict, or sets when it
// could return one.
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

// after reports whether it has been quiet for q. If not, it asks to decide again at that
// time.
func (d *decision) after(q time.Duration) bool {
	if d.quiet >= q {
		return true
	}
	d.at(q)
	return false
}
