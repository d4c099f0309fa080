package ready

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/kernel"
)

// A view holds looks at a session's program: the last look, and earlier ones with which it is
// compared. A look is a sample of the program's state in the kernel, a kernel.View.
//
// The waking input is the data last written to the child that can wake a program which reads the
// terminal. In line mode, only data that ends a line or sends a signal can do so.
type view struct {
	looker looker // nil if looks are not possible or have ended

	before     kernel.View // the look just before the waking input was written
	beforeCall kernel.View // the value of before when the last call began to type
	written    bool        // a waking input was written, so before is set
	writtenAt  time.Time   // when the waking input was written
	delivered  bool        // the last input is known to have reached the terminal's line discipline, from which the program reads it
	// ttyHandled says that the terminal handles the waking input itself, as it does ctrl+z. If the
	// program ignores the signal, the input does not make the program run.
	ttyHandled bool
	// passwordInside says that, just before the waking input, a terminal inside this one
	// (script, expect) had the modes of a password prompt.
	passwordInside bool
	outputStopped  bool // ctrl+s has stopped the output
	endsInEscape   bool // the last typed input ended with Escape
	inputEnded     bool // the input, a pipe, was closed

	now            kernel.View     // the last look
	fresh          bool            // nothing was read from the program or written to it since the last look
	lookedAt       time.Time       // when the last look was taken
	cost           time.Duration   // how long the last look took
	unchangedSince time.Time       // when the first of the looks that equal the last one was taken
	firstWait      kernel.Activity // Activity of the first look since the last input or output that was Waiting
	everKnown      bool            // some look was Known
	failingSince   time.Time       // when the looks began to fail; zero if there was no look, or the last one was Known
	timers         timers
}

// input takes a look just before data is written to the child; the data was typed, or is a reply to
// a query. Comparing later looks with this one shows whether the program has run since. For an
// unfinished line in line mode, input takes no look, because the kernel keeps the line to itself and
// wakes no process.
func (w *view) input(data []byte, tty kernel.TTY) {
	w.fresh, w.passwordInside = false, false
	w.outputStopped = tty.StopsOutput(data, w.outputStopped)
	if w.looker == nil || tty.Known && tty.Canonical && !Wakes(data) {
		return
	}
	before := w.look()
	if w.written && !w.delivered && !w.ttyHandled && before.Waiting && !before.Scheduled(w.before) {
		// The program has not run since the previous input, and will run to read that
		// input. So if it runs, that will not prove that it has read data.
		before.Waiting, before.Asleep = false, false
	}
	w.before, w.written, w.delivered, w.writtenAt = before, true, false, time.Now()
	w.before.Timers = w.timers.knownBy(w.before, w.writtenAt)
	w.ttyHandled = tty.Intercepts(data)
	w.passwordInside = w.before.Nested > 0 && w.before.Modes.Secret()
}

// Wakes reports whether data wakes a program that reads in line mode: whether it has a
// byte that ends a line (Enter, newline, ctrl+d) or sends a signal, by the default settings.
func Wakes(data []byte) bool { return bytes.ContainsAny(data, "\r\n\x04"+kernel.DefaultSignals) }

// Look takes a look at the program and stores it. It does nothing if looks are not possible.
func (w *Watch) Look(now time.Time) {
	if w.view.looker == nil {
		return
	}
	w.view.lookedAt = now
	began := time.Now()
	v := w.view.look()
	w.view.cost = time.Since(began)
	if v.Drained && w.Child.Ahead(w.State.Raw.Total) {
		// The child's owner has read output that has not arrived here yet.
		v.Drained, v.Waiting = false, false
	}
	if w.view.inputEnded {
		// A process that is just starting may hold a copy of the pipe's writing end for
		// a moment. Until it is closed, the program does not see the end of its input.
		v.Waiting, v.HasReader, v.Reader = false, false, 0
	}
	if !w.view.fresh || !kernel.Unchanged(w.view.now, v) {
		w.view.unchangedSince = now
	}
	if !w.view.fresh {
		w.view.firstWait = kernel.Activity{}
	}
	if v.Waiting && w.view.firstWait == (kernel.Activity{}) {
		w.view.firstWait = v.Activity
	}
	if v.Waiting && v.Nested == 0 && v.Modes.Raw() {
		w.editors = remember(w.editors, v.Foreground.PGID, maxGroups)
	}
	w.view.now, w.view.fresh = v, true
	w.view.timers.observe(timerEvidence{
		now: now, view: v, before: w.view.before.Timers, typed: w.State.Last.Started && !w.view.started(), undelivered: !w.view.reachedInside(),
		starting:   w.view.written && !w.view.before.Asleep && !slices.Contains(w.Waiters, v.Foreground.PGID),
		fullScreen: w.State.Term.FullScreen(), screen: w.State.VisibleText,
	})
	switch {
	case v.Known:
		w.view.failingSince, w.view.everKnown = time.Time{}, true
	case w.view.failingSince.IsZero():
		w.view.failingSince = now
	}
}

// When looks have failed for this long, package detect decides without the kernel, by prompts and
// pauses. A look fails for a moment while a process of the group starts, ends, or executes another
// program, which can be slow on a busy machine. Looks fail for good when the process belongs to
// another user, or when the system does not provide the information.
const (
	failLimit      = 20 * time.Millisecond
	failLimitKnown = time.Second // if the process has ended, or an earlier look was Known and the process is not another user's
)

// failsBriefly reports whether the last look is fresh and has failed, and a later look may succeed.
func (w *view) failsBriefly() bool {
	limit := failLimit
	if w.everKnown && !w.now.Hidden || w.now.Ended {
		limit = failLimitKnown
	}
	return w.fresh && !w.now.Known && w.lookedAt.Sub(w.failingSince) < limit
}

// Kernel returns the last look in the form that package detect takes. Current is false if something
// was read or written since the look, or if the look failed and may soon succeed.
func (w *Watch) Kernel() detect.Kernel {
	v := w.view.now
	if w.view.looker != nil && (!w.view.fresh || w.view.failsBriefly()) {
		return detect.Kernel{}
	}
	if w.view.looker == nil || !v.Known {
		return detect.Kernel{Current: true}
	}
	// A program that was not waiting when the input was written may have begun to wait after that,
	// but before the input arrived.
	arrived := !w.view.written || w.view.before.Waiting || w.view.delivered && v.Nested == 0
	ran := !w.view.written || v.Scheduled(w.view.before)
	k := detect.Kernel{
		Current: true, Known: true, At: w.view.lookedAt, Since: w.view.unchangedSince,

		InputUnread:  !arrived && !w.State.LastOutput.After(w.view.writtenAt) || !ran,
		Asleep:       v.Asleep,
		HasReader:    v.HasReader,
		Filters:      v.Filters,
		Nested:       v.Nested > 0,
		Final:        v.Final() && arrived && ran,
		OnlyTerminal: v.OnlyTerminal && v.Others != kernel.OthersEvents,
		EventLoop:    v.EventLoop && v.Others != kernel.OthersEvents,
		AnswerDue:    w.view.timers.due,
		OtherDue:     w.view.timers.next,
		SeenAtPrompt: slices.Contains(w.Waits, v.Fingerprint),
		Timed:        v.Timed,
		TimeLimit:    v.Timeout,
		Renewed:      v.Waiting && v.Activity != w.view.firstWait,
		Secret:       v.Nested > 0 && v.Modes.Secret() && w.secretInside(),
		OthersWake:   v.Others != kernel.OthersIdle,
		AtIdlePlace:  w.idlePlaces.contains(v),
		AtOtherPlace: w.idlePlaces.knownFor(v.Foreground.PGID) && !w.idlePlaces.contains(v),
		WakesAfter:   v.WakesAfter,

		HasPrompted: slices.Contains(w.Prompters, v.Foreground.PGID),
		HasRead:     slices.Contains(w.Waiters, v.Foreground.PGID) || v.Nested > 0 && v.Nested == w.view.before.Nested && w.view.before.Waiting,
	}
	k.MainInForeground = v.Foreground.PGID == w.Child.PID()
	k.MainIsFish = k.MainInForeground && v.Foreground.Comm == "fish"
	k.LeaderReads = v.Reader != 0 && v.Reader == v.Foreground.PGID
	k.Waiting = v.Waiting && (ran || w.view.ttyHandled || w.view.relayRan()) && !w.view.leftRaw()
	k.Text = w.lookText(v, k.Waiting)
	return k
}

// relayRan reports whether the relay (a program that shows a terminal inside this one), or the
// program inside, has run since the input; it is false if there is no relay. The relay alone may run:
// mc handles some keys itself and does not pass them to its shell. If the relay was busy when the
// input was written, it has read the input once it sleeps after the delivery.
func (w *view) relayRan() bool {
	switch {
	case w.now.Nested == 0:
		return false
	case !w.before.Asleep:
		return w.fresh && w.delivered && w.now.Asleep
	default:
		return w.now.Nested == w.before.Nested && w.now.Activity != w.before.Activity
	}
}

// reachedInside reports whether the program in the terminal inside this one has run since the input,
// so that the input must have reached it. It is also true if there was no input, if there is no such
// terminal, or if the number of nested terminals has changed since the input.
func (w *view) reachedInside() bool {
	return !w.written || w.now.Nested == 0 || w.now.Nested != w.before.Nested || w.now.Scheduled(w.before)
}

// started reports whether another program has come to the foreground since the call began to type,
// as when a shell starts one, and waits for input. Nothing has been typed to that program yet.
func (w *view) started() bool {
	before := w.beforeCall.Foreground.PGID
	return w.written && w.now.Waiting && before > 0 && before != w.now.Foreground.PGID
}

// leftRaw reports whether the foreground program, which was waiting in raw mode before the input,
// now waits in its event loop in line mode. Such a program is busy until it returns to raw mode.
func (w *view) leftRaw() bool {
	before, now := &w.before, &w.now
	same := before.Foreground.PGID == now.Foreground.PGID && before.Nested == now.Nested
	return w.written && now.EventLoop && same && before.Waiting && before.Modes.Raw() && now.Modes.Canonical
}

// lookText describes a look for people; a reply shows the text if the call asks for an explanation. waiting
// is detect.Kernel.Waiting, which is false until the program has run, even if v.Waiting is true.
func (w *Watch) lookText(v kernel.View, waiting bool) string {
	what, where := "is busy", "terminal"
	if w.State.Pipe {
		where = "pipe"
	}
	switch {
	case v.Stopped:
		what = "is stopped"
	case waiting && v.OnlyTerminal:
		what = fmt.Sprintf("waits for input in %s on this %s alone", v.How, where)
	case waiting:
		what = fmt.Sprintf("waits for input in %s on this %s and others", v.How, where)
	case v.Waiting && w.view.leftRaw():
		what = "waits in line mode, but reads keys in raw mode"
	case v.Waiting:
		what = "waits for input, but has not run since the last input"
	case v.Asleep:
		what = "sleeps, not on this " + where
	}
	return fmt.Sprintf("%s (pid %d) %s", v.Foreground.Comm, v.Foreground.PID, what)
}

// Decide returns detect's verdict on e. If the verdict is not Done, nothing is queued or unread, and a
// look is due, Decide takes the look, stores it in e and decides again.
func (w *Watch) Decide(e *detect.Evidence) detect.Verdict {
	v := detect.Decide(*e)
	if !v.Done && w.view.looker != nil && !e.Input.Queued && !e.Output.Unread && w.lookDue(e.Now) {
		w.Look(e.Now)
		// The program may have turned echo off just before it began to wait, or answered since
		// the evidence was gathered.
		tty := w.LookTTY()
		w.setKernel(e, tty)
		e.Output.Unread = w.OutputPending(tty)
		v = detect.Decide(*e)
	}
	return v
}

// Refresh takes a look when one is due.
func (w *Watch) Refresh(now time.Time) {
	if w.view.looker != nil && w.lookDue(now) {
		w.Look(now)
	}
}

const (
	// lookEvery is the minimum time between two looks.
	lookEvery = 300 * time.Microsecond
	// The minimum time between two looks is also lookShare times what the last look took, so that
	// looks use a small share of a processor: a look at a program of a hundred threads takes a
	// quarter of a millisecond.
	lookShare = 4
	// maxLookCost is the longest duration of a look that is multiplied by lookShare: on a busy
	// machine, a look may have been slow for other reasons.
	maxLookCost = 2 * time.Millisecond
)

// lookDue reports whether enough time has passed since the last look.
func (w *Watch) lookDue(now time.Time) bool {
	return now.Sub(w.view.lookedAt) >= max(lookEvery, lookShare*min(w.view.cost, maxLookCost))
}

// BeforeWrite must be called before data is written to the program. typed says that data was typed;
// otherwise data is a reply of the terminal.
func (w *Watch) BeforeWrite(data []byte, tty kernel.TTY, typed bool) {
	w.view.input(data, tty)
	w.view.timers.reset(w.State.VisibleText)
	if typed {
		w.view.endsInEscape = bytes.HasSuffix(data, []byte("\x1b"))
	}
}

// BeforeInput must be called before the first part of an input is written, after BeforeWrite.
func (w *Watch) BeforeInput(now time.Time) {
	w.confirm(now)
	w.view.beforeCall = w.view.before
	w.idlePlaces.beforeInput(w.view.before, w.State.LastOutput, now)
}

// AfterWrite must be called after a part of an input was written.
func (w *Watch) AfterWrite(now time.Time) { w.writtenAt = now }

// SetDelivered records whether the data last written is known to have reached the terminal's line
// discipline.
func (w *Watch) SetDelivered(known bool) { w.view.delivered = known }

// SetInputEnded records that the input, a pipe, was closed: the program cannot wait for more.
func (w *Watch) SetInputEnded() { w.view.inputEnded, w.view.fresh = true, false }

// SetStale records that something was read from the program or written to it since the last look.
func (w *Watch) SetStale() { w.view.fresh = false }

// EverKnown reports whether any look at this program was Known, so that looks work for it.
func (w *Watch) EverKnown() bool { return w.view.looker != nil && w.view.everKnown }

// OutputStopped reports whether ctrl+s has stopped the output.
func (w *Watch) OutputStopped() bool { return w.view.outputStopped }

// NestedPasswordPrompt reports whether, just before the last input, a terminal inside this one had the
// modes of a password prompt. In a full-screen program, the text at the cursor must also ask for one.
func (w *Watch) NestedPasswordPrompt() bool { return w.view.passwordInside && w.secretInside() }

// End stops taking looks and releases the looker.
func (w *Watch) End() {
	w.view.fresh = false
	w.view.close()
}

// LastLook returns the last look. fresh reports that nothing was read from the program or written
// to it since that look.
func (w *Watch) LastLook() (v kernel.View, fresh bool) { return w.view.now, w.view.fresh }

// Silent reports whether the last look is fresh, the program has printed nothing and sleeps, and no
// process waits for input.
func (w *Watch) Silent() bool {
	v := &w.view.now
	return w.State.Raw.Total == 0 && w.view.fresh && v.Asleep && !v.Waiting && !v.HasReader
}
