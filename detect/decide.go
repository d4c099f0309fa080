package detect

import (
	"slices"
	"time"
)

// Pauses (time without output or input) after which a verdict is used, and other durations.
const (
	markQuiet       = 2 * time.Millisecond   // after a shell mark
	busyMarkQuiet   = 150 * time.Millisecond // after a shell mark, if the shell may have work to do before it reads
	kernelQuiet     = 5 * time.Millisecond   // between two equal looks at the kernel
	flushQuiet      = 25 * time.Millisecond  // between two equal looks, if the input may not have reached the program
	timedQuiet      = 20 * time.Millisecond  // between two equal looks at a limited wait; irb checks for input for 1 ms
	filterDelay     = 150 * time.Millisecond // after a filter has drawn typed keys; fzf delays a search by up to 100 ms
	unstableFactor  = 3                      // if no two looks are equal, one look after this many times the pause
	silentQuiet     = 250 * time.Millisecond // if nothing was written since the input; fzf reads keys before it draws
	foregroundQuiet = 4 * time.Millisecond   // at a learned prompt of the same process group and terminal modes
	learnedQuiet    = 30 * time.Millisecond  // at a learned prompt of another process group or other modes
	shapeQuiet      = 100 * time.Millisecond // at a text with the shape of a prompt
	wordsQuiet      = 30 * time.Millisecond  // at words that ask for a secret, or for yes or no
	secretQuiet     = 100 * time.Millisecond // in canonical mode without echo
	secretAsleep    = 300 * time.Millisecond // in canonical mode without echo, if no program is seen to read
	// longRead is the minimum time limit of a wait for a person. A program that only checks for
	// keys between two steps of its work does not wait that long.
	longRead = 5 * time.Second
	// maxBracketBlink is the longest time for which a line editor shows a matching parenthesis
	// before it continues to read.
	maxBracketBlink = time.Second
	// maxBriefWait is the longest time limit of a wait that may not be for a person. By default,
	// ncurses waits this long for the rest of a key that begins with Escape.
	maxBriefWait = time.Second
	// briefWaitLimit is the pause after which a wait of at most maxBriefWait has ended, because it
	// begins some time after the input was written. If a key were typed during the wait after
	// Escape, the program would take Escape and the key for one key.
	briefWaitLimit = maxBriefWait + 150*time.Millisecond
	// lookDelay is the minimum time until the next look at the kernel.
	lookDelay = 500 * time.Microsecond
	// staleLook is the age after which a look no longer shows that a shell is busy at its prompt.
	staleLook = 10 * time.Millisecond
	// Minimum and maximum of the time between two looks at busy processes. The time increases with
	// the pause.
	busyLookMin = 250 * time.Microsecond
	busyLookMax = 100 * time.Millisecond
	// unreadLook is the interval for checking whether there is still unread output. No event says
	// that unread output is gone: a read may find nothing, or ctrl+c may make the terminal drop its
	// output.
	unreadLook = time.Millisecond
	// incompleteLimit is the maximum wait for the rest of a partly drawn screen.
	incompleteLimit = time.Second
	// silentSettle is the minimum pause after which a program that has not begun to answer
	// counts as settled. A call to a silent program then returns within two seconds.
	silentSettle = 1800 * time.Millisecond
	// quietPolls is the number of polls without output after which a program that polls for input
	// counts as settled. The pause is at most silentSettle.
	quietPolls = 3
	// startSettle replaces silentSettle for a program that is still starting. jshell
	// and the Gemini CLI take seconds to start.
	startSettle = 30 * time.Second
	// startRest is the time for which a program must have slept to count as started.
	startRest = 500 * time.Millisecond
	// busySettle is the minimum pause for a program that does not wait for its terminal.
	busySettle = time.Second
	// periodicAfter is the time since the input after which a program that repaints at
	// regular intervals counts as settled.
	periodicAfter = time.Second
	periodicBusy  = 3 * time.Second // periodicAfter for a busy full-screen program that has read keys before
	// spinQuiet is the minimum pause if a spinner character has appeared since the input and the
	// program waits in an event loop, or is full-screen and does not wait for its terminal alone.
	spinQuiet = 300 * time.Millisecond
)

// Decide returns the verdict of the strongest layer that has one. If no layer has one, or a layer
// prevents weaker ones from deciding, the Verdict is not Done and says when to decide again.
func Decide(e Evidence) Verdict {
	return decide(e, (*decision).marks, (*decision).kernel, (*decision).secret, (*decision).learned, (*decision).settled)
}

// decide is Decide with these layers, strongest first. The exit of the child comes before all of them.
func decide(e Evidence, layers ...func(*decision) (Verdict, bool)) Verdict {
	if e.Exited {
		return done(Exited, LayerExit, "the child was reaped and its terminal is drained")
	}
	d := decision{Evidence: e, quiet: e.Now.Sub(e.lastEvent())}
	switch {
	case e.Input.Queued:
		return Verdict{}
	case e.Output.Unread:
		d.decideBy(e.Now.Add(unreadLook))
		return Verdict{Again: d.again}
	case e.Output.Incomplete && d.quiet < incompleteLimit:
		return d.decideAfter(incompleteLimit)
	}
	for _, layer := range layers {
		if v, ok := layer(&d); ok {
			return v
		}
	}
	return Verdict{Again: d.again}
}

// lastEvent returns the time of the last output or input.
func (e *Evidence) lastEvent() time.Time {
	return slices.MaxFunc([]time.Time{e.Output.Last, e.Input.At}, time.Time.Compare)
}

// A decision is one run of Decide. A layer returns true if weaker layers may not decide: with a Verdict
// that is Done, or one that says when to decide again. A layer may request another decision with decideBy.
type decision struct {
	Evidence
	quiet time.Duration // time since the last output or input
	again time.Time     // when to decide again, or zero; see Verdict.Again
}

// done returns a verdict that the wait is over.
func done(r Reason, l Layer, why ...string) Verdict {
	return Verdict{Done: true, Reason: r, Layer: l, Why: why}
}

// decideAfter requests another decision q after the last output or input.
func (d *decision) decideAfter(q time.Duration) Verdict {
	d.decideBy(d.lastEvent().Add(q))
	return Verdict{Again: d.again}
}

// decideBy requests another decision at t, or lookDelay from now if t is not in the future. If
// several decisions are requested, the earliest counts.
func (d *decision) decideBy(t time.Time) {
	if !t.After(d.Now) {
		t = d.Now.Add(lookDelay)
	}
	if d.again.IsZero() || t.Before(d.again) {
		d.again = t
	}
}

// lookAt requests another decision at t, with a new look at the kernel. A layer that returns
// lookAt's results prevents weaker layers from deciding.
func (d *decision) lookAt(t time.Time) (Verdict, bool) {
	d.decideBy(t)
	return Verdict{Again: d.again}, true
}

// quietFor reports whether there was no output or input for q. If not, quietFor requests another
// decision when q will have passed.
func (d *decision) quietFor(q time.Duration) bool {
	if d.quiet >= q {
		return true
	}
	d.decideAfter(q)
	return false
}
