package detect

import (
	"slices"
	"time"
)

// Pauses after which the verdict of a layer is used, and other durations.
const (
	markQuiet       = 2 * time.Millisecond   // after a shell mark
	busyMarkQuiet   = 150 * time.Millisecond // after a shell mark, if the shell may have work to do before it reads
	kernelQuiet     = 5 * time.Millisecond   // between two equal looks at the kernel
	flushQuiet      = 25 * time.Millisecond  // between two equal looks, if the input may not have reached the program yet
	timedQuiet      = 20 * time.Millisecond  // a wait with a time limit that was never seen at a prompt; irb, for example, checks for input for 1 ms
	filterDelay     = 150 * time.Millisecond // after a filter such as fzf has drawn the typed keys; fzf delays its search by up to 100 ms
	unstableFactor  = 3                      // multiplies the pause if no two looks are equal, because a thread wakes all the time
	silentQuiet     = 250 * time.Millisecond // if the program has written nothing since the input, and more than input may wake one of its threads; fzf reads keys before it draws
	foregroundQuiet = 4 * time.Millisecond   // a learned prompt, with the process group and terminal modes of the last prompt
	learnedQuiet    = 30 * time.Millisecond  // a learned prompt, with another process or other modes
	shapeQuiet      = 100 * time.Millisecond // text with the shape of a prompt
	wordsQuiet      = 30 * time.Millisecond  // words that ask for a secret, or for yes or no
	secretQuiet     = 100 * time.Millisecond // line mode without echo during this time
	secretAsleep    = 300 * time.Millisecond // line mode without echo during this time, if no program is seen to read
	// longRead is the minimum time limit of a read that waits for a person. A program
	// that only checks for keys between two steps of its work does not wait that long.
	longRead = 5 * time.Second
	// maxBracketBlink is the longest time for which a line editor shows a matching parenthesis
	// before it continues to read.
	maxBracketBlink = time.Second
	// maxBriefWait is the time limit up to which a wait may be for something other than a
	// person. By default, ncurses waits this long for the rest of a key that begins with Escape.
	maxBriefWait = time.Second
	// briefWaitLimit is the pause after which such a wait has ended. The wait begins some time
	// after the input was written. The program would treat a key typed during the wait as the
	// rest of the key that begins with Escape.
	briefWaitLimit = maxBriefWait + 150*time.Millisecond
	// lookDelay is the minimum time until the next look at the kernel.
	lookDelay = 500 * time.Microsecond
	// staleLook is the maximum age of a look that shows a shell busy at its prompt.
	staleLook = 10 * time.Millisecond
	// Limits on the time between two looks at busy processes, which increases with the
	// time since the last output.
	busyLookMin = 250 * time.Microsecond
	busyLookMax = 100 * time.Millisecond
	// unreadLook is the interval for checking whether output is still unread. Unread output can
	// disappear without an event: a read may find nothing, and ctrl+c makes the terminal drop
	// its output.
	unreadLook = time.Millisecond
	// incompleteLimit is the maximum wait for the rest of a partly drawn screen.
	incompleteLimit = time.Second
	// silentSettle is the minimum pause after which a program that has not begun to answer
	// counts as settled. A call to a silent program then returns within two seconds.
	silentSettle = 1800 * time.Millisecond
	// quietPolls is the number of polls for which a program that polls for input must be
	// silent to count as settled. The pause is at most silentSettle.
	quietPolls = 3
	// startSettle replaces silentSettle for a program that is still starting. jshell
	// and the Gemini CLI take seconds to start.
	startSettle = 30 * time.Second
	// startRest is the time for which a program must have been asleep to count as started.
	startRest = 500 * time.Millisecond
	// busySettle is the minimum pause of a program that does not wait for its terminal.
	busySettle = time.Second
	// periodicAfter is the time since the input after which a program that repaints at
	// regular intervals counts as settled.
	periodicAfter = time.Second
	periodicBusy  = 3 * time.Second // periodicAfter for a busy full-screen program that has read keys before
	// spinQuiet is the minimum pause if the text that has appeared since the input contains a
	// spinner character.
	spinQuiet = 300 * time.Millisecond
)

// Decide returns the verdict of the strongest layer that has one. If no layer has one,
// the Verdict is not Done and says when to decide again.
func Decide(e Evidence) Verdict {
	return decide(e, (*decision).marks, (*decision).kernel, (*decision).secret, (*decision).learned, (*decision).settled)
}

// decide is Decide with these layers, strongest first.
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

// A decision is one run of Decide. A layer returns true with a Verdict, which need not be Done,
// or false to let the next layer decide. It may request another decision with decideBy.
type decision struct {
	Evidence
	quiet time.Duration // since the last output or input
	again time.Time     // see Verdict
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
// several are requested, the earliest time counts.
func (d *decision) decideBy(t time.Time) {
	if !t.After(d.Now) {
		t = d.Now.Add(lookDelay)
	}
	if d.again.IsZero() || t.Before(d.again) {
		d.again = t
	}
}

// lookAt requests another decision at t, with a new look at the kernel. A layer that returns the
// results of lookAt prevents weaker layers from deciding.
func (d *decision) lookAt(t time.Time) (Verdict, bool) {
	d.decideBy(t)
	return Verdict{Again: d.again}, true
}

// quietFor reports whether there was no output or input for q. If there was, quietFor calls
// decideAfter(q).
func (d *decision) quietFor(q time.Duration) bool {
	if d.quiet >= q {
		return true
	}
	d.decideAfter(q)
	return false
}
