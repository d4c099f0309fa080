package ready

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/kernel"
)

// A view is the kernel's view and what earlier views have taught.
type view struct {
	looker looker
	before kernel.View // as the last input that wakes a reader went out
	found  kernel.View // as the first of the last call's did
	// written says that such input has been written, and before taken.
	written bool
	// kept says that the terminal keeps that input for itself, such as ctrl+z: a
	// program that takes no notice does not run. stopped says that ctrl+s has
	// stopped the output.
	kept, stopped bool
	// escaped says that the last key typed is Escape.
	escaped bool
	// asked says that, as the last input went out, a terminal inside this one
	// (script, expect) was set as for typing a password.
	asked bool
	// delivered says that it is known to have reached the terminal's reader.
	delivered bool
	ended     bool            // the input, a pipe, was closed
	sent      time.Time       // when that input went out
	now       kernel.View     // the last look
	fresh     bool            // no input or output came since now
	at        time.Time       // of the last look
	cost      time.Duration   // of the last look
	since     time.Time       // of the first of the equal looks that now ends
	first     kernel.Activity // of the first look since input or output that saw it wait
	told      bool            // a look has told before what the program does
	timers    timers
	blind     time.Time // of the first of the failed looks that now ends, zero when it has not failed
}

// input takes a look before data, which may be a reply to a query, is written to
// the child: it tells later whether the child has run since. In line mode the
// kernel keeps what is not yet a line: nobody wakes, and nobody need have run.
func (w *view) input(data []byte, tty kernel.TTY) {
	w.fresh, w.asked = false, false
	w.stopped = tty.Stops(data, w.stopped)
	if w.looker == nil || tty.Known && tty.Canonical && !Wakes(data) {
		return
	}
	before := w.look()
	if w.written && !w.delivered && !w.kept && before.Waiting && !before.Scheduled(w.before) {
		// It will run for what was written last: that will be no sign that it has
		// taken what is written now.
		before.Waiting, before.Asleep = false, false
	}
	w.before, w.written, w.delivered, w.sent = before, true, false, time.Now()
	w.before.Timers = w.timers.knownBy(w.before, w.sent)
	w.kept = tty.Keeps(data)
	w.asked = w.before.Nested > 0 && w.before.Modes.Secret()
}

// Wakes reports whether typed bytes hold one at which line mode, as it is set
// by default, hands the line over (Enter, newline, ctrl+d) or sends a signal.
func Wakes(data []byte) bool { return bytes.ContainsAny(data, "\r\n\x04"+kernel.DefaultSignals) }

// Look takes the kernel's view.
func (w *Watch) Look(now time.Time) {
	if w.view.looker == nil {
		return
	}
	began := time.Now()
	v := w.view.look()
	w.view.cost = time.Since(began)
	if v.Drained && w.Child.Ahead(w.State.Raw.Total) {
		// Its owner has taken output that is still on its way here.
		v.Drained, v.Waiting = false, false
	}
	if w.view.ended {
		// A process that was being started may hold a copy for a moment: until that is
		// gone, the end of the input does not come.
		v.Waiting, v.Listens, v.Reader = false, false, 0
	}
	if !w.view.fresh || !kernel.Quiet(w.view.now, v) {
		w.view.since = now
	}
	if !w.view.fresh {
		w.view.first = kernel.Activity{}
	}
	if v.Waiting && w.view.first == (kernel.Activity{}) {
		w.view.first = v.Activity
	}
	if v.Waiting && v.Nested == 0 && v.Modes.Raw() {
		w.editors = remember(w.editors, v.Foreground.PGID)
	}
	w.view.now, w.view.fresh = v, true
	w.view.timers.look(timing{
		now: now, view: v, before: w.view.before.Timers, typed: w.State.Last.Started && !w.view.started(), held: !w.view.through(),
		fullScreen: w.State.FullScreen(), screen: w.State.VisibleText,
	})
	switch {
	case v.Known:
		w.view.blind, w.view.told = time.Time{}, true
	case w.view.blind.IsZero():
		w.view.blind = now
	}
}

// How long looks must have failed before weaker layers decide. A look fails for
// a moment while a process of the group begins, ends, or executes another
// program, which on a busy machine takes its time; and for good when the process
// belongs to another user, or the system tells nothing.
const (
	blindFor  = 20 * time.Millisecond
	blindOnce = time.Second // where looks have told, and nobody hides
)

// blinded reports whether the last look has failed, but may not have for good.
func (w *view) blinded() bool {
	limit := blindFor
	if w.told && !w.now.Hidden {
		limit = blindOnce
	}
	return w.fresh && !w.now.Known && w.at.Sub(w.blind) < limit
}

// Kernel returns the last look for package detect.
func (w *Watch) Kernel() detect.Kernel {
	v := w.view.now
	if w.view.looker != nil && (!w.view.fresh || w.view.blinded()) {
		return detect.Kernel{}
	}
	if w.view.looker == nil || !v.Known {
		return detect.Kernel{Looked: true}
	}
	// A program that did not wait for input as it went out may have run since,
	// and gone to wait, before the input came.
	there := !w.view.written || w.view.before.Waiting || w.view.delivered && v.Nested == 0
	ran := !w.view.written || v.Scheduled(w.view.before)
	k := detect.Kernel{
		Looked: true, Known: true, Age: time.Since(w.view.at),
		Since: w.view.since,

		Unproven: !there && !w.State.LastOutput.After(w.view.sent) || !ran,
		Asleep:   v.Asleep,
		Listens:  v.Listens,
		Fed:      v.Fed,
		Relayed:  v.Nested > 0,
		Final:    v.Final() && there && ran,
		Sure:     v.Sole && v.Rest != kernel.RestEvents,
		Loop:     v.Loop && v.Rest != kernel.RestEvents,
		Due:      w.view.timers.due,
		Hides:    w.view.timers.next,
		Seen:     w.knownWait(v.Fingerprint),
		Timed:    v.Timed,
		Ends:     v.Timeout,
		Renewed:  v.Waiting && v.Activity != w.view.first,
		Secret:   v.Nested > 0 && v.Modes.Secret() && w.secretInside(),
		Others:   v.Rest != kernel.RestIdle,
		Home:     w.homes.has(v),
		Away:     w.homes.of(v.Foreground.PGID) && !w.homes.has(v),
		Wakes:    v.Wakes,

		Prompts: slices.Contains(w.Fronts, v.Foreground.PGID),
		Reads:   slices.Contains(w.Waiters, v.Foreground.PGID) || v.Nested > 0 && v.Nested == w.view.before.Nested && w.view.before.Waiting,
	}
	k.Main = v.Foreground.PGID == w.Child.PID()
	k.Asked = k.Main && v.Foreground.Comm == "fish"
	k.Own = k.Prompts || k.Main
	k.Reader = v.Reader != 0 && v.Reader == w.Child.PID()
	k.Waiting = v.Waiting && (ran || w.view.kept || w.view.relayRan()) && !w.view.leftRaw()
	k.Text = w.lookText(v, k.Waiting)
	return k
}

// relayRan reports whether a program that shows a terminal inside this one, or what
// reads there, has run since the input: mc takes the keys for itself, and does not pass
// them on to its shell. One that was at work as the input went out has taken it when it
// sleeps after the input has reached it.
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

// through reports whether the input has come to a terminal inside this one: what reads
// there has run since.
func (w *view) through() bool {
	return !w.written || w.now.Nested == 0 || w.now.Nested != w.before.Nested || w.now.Scheduled(w.before)
}

// started reports whether the program in front came there after the input, as one that
// a shell has started. Nobody has typed anything to it.
func (w *view) started() bool {
	was := w.found.Foreground.PGID
	return w.written && w.now.Waiting && was > 0 && was != w.now.Foreground.PGID
}

// leftRaw reports whether the program in front has left raw mode since the input, and
// waits in its event loop: until it edits input again, it works.
func (w *view) leftRaw() bool {
	was, is := &w.before, &w.now
	same := was.Foreground.PGID == is.Foreground.PGID && was.Nested == is.Nested
	return w.written && is.Loop && same && was.Waiting && was.Modes.Raw() && is.Modes.Canonical
}

// lookText says for people what a look saw; waiting says whether the program is
// believed to wait.
func (w *Watch) lookText(v kernel.View, waiting bool) string {
	what, where := "is busy", "terminal"
	if w.State.Pipe {
		where = "pipe"
	}
	switch {
	case v.Stopped:
		what = "is stopped"
	case waiting && v.Sole:
		what = fmt.Sprintf("waits for input in %s on this %s alone", v.How, where)
	case waiting:
		what = fmt.Sprintf("waits for input in %s on this %s and others", v.How, where)
	case v.Waiting:
		what = "waits for input, but has not run since the last input"
	case v.Asleep:
		what = "sleeps, not on this " + where
	}
	return fmt.Sprintf("%s (pid %d) %s", v.Foreground.Comm, v.Foreground.PID, what)
}

// knownWait reports whether a program waited so at a confirmed prompt.
func (w *Watch) knownWait(f kernel.Fingerprint) bool { return slices.Contains(w.Waits, f) }

// Decide decides by all layers, and takes the kernel's view when asked.
func (w *Watch) Decide(e *detect.Evidence) detect.Verdict {
	v := detect.Decide(*e)
	if v.Look && w.view.looker != nil && !e.Input.Queued && !e.Output.Unread && w.LookDue(e.Now) {
		w.Look(e.Now)
		e.Kernel = w.Kernel()
		// A program that the look has seen wait may have turned echo off just before.
		e.TTY = w.settings(w.LookTTY(), e.Now)
		v = detect.Decide(*e)
	}
	return v
}

// Freshen takes the kernel's view when it is time.
func (w *Watch) Freshen(now time.Time) {
	if w.view.looker != nil && w.LookDue(now) {
		w.Look(now)
	}
}

const (
	// lookEvery is the least time between two looks of the kernel's view.
	lookEvery = 300 * time.Microsecond
	// lookShare is how many times as long as the last look took at least: one at a
	// program of a hundred threads takes a quarter of a millisecond.
	lookShare = 4
	// maxLookCost is the most that counts of it: on a busy machine, a look may
	// have been held up.
	maxLookCost = 2 * time.Millisecond
)

// LookDue reports whether enough time has passed since the last look.
func (w *Watch) LookDue(now time.Time) bool {
	if now.Sub(w.view.at) < max(lookEvery, lookShare*min(w.view.cost, maxLookCost)) {
		return false
	}
	w.view.at = now
	return true
}

// Writing notes that data goes out to the program, typed or as the terminal's reply.
func (w *Watch) Writing(data []byte, tty kernel.TTY, typed bool) {
	w.view.input(data, tty)
	w.view.timers.input(w.State.VisibleText)
	if typed {
		w.view.escaped = bytes.HasSuffix(data, []byte("\x1b"))
	}
}

// Typing notes that the first part of an input goes out.
func (w *Watch) Typing(now time.Time) {
	w.confirm(now)
	w.view.found = w.view.before
	w.homes.typed(w.view.before, w.State.LastOutput, now)
}

// Written notes that what went out has been written.
func (w *Watch) Written() {
	w.Unsent--
	w.view.fresh = false
}

// Typed notes that a part of an input has been written.
func (w *Watch) Typed(now time.Time) {
	w.Written()
	w.reached = now
}

// Spinning returns the row of the screen that changes, for people; "" when none
// does.
func (w *Watch) Spinning(now time.Time) string { return w.motion.spinning(now) }

// Delivered notes whether what was written is known to have reached the terminal's reader.
func (w *Watch) Delivered(known bool) { w.view.delivered = known }

// InputEnded notes that the input was closed: nobody waits for more of it.
func (w *Watch) InputEnded() { w.view.ended, w.view.fresh = true, false }

// Stale notes that the program has done something since the last look.
func (w *Watch) Stale() { w.view.fresh = false }

// Tells reports whether looks tell what the program does.
func (w *Watch) Tells() bool { return w.view.looker != nil && w.view.told }

// Stopped reports whether ctrl+s has stopped the output.
func (w *Watch) Stopped() bool { return w.view.stopped }

// AsksSecret reports whether the program asks for a secret, here or in a terminal
// inside this one.
func (w *Watch) AsksSecret(tty kernel.TTY) bool {
	return w.Secret(tty) || w.AskedInside()
}

// AskedInside reports whether, as the last input went out, a terminal inside this one
// was set as for typing a password, and is so for one.
func (w *Watch) AskedInside() bool { return w.view.asked && w.secretInside() }

// End ends the looks.
func (w *Watch) End() {
	w.Unsent, w.view.fresh = 0, false
	w.view.close()
}

// LastLook returns the last look, and whether nothing has happened since.
func (w *Watch) LastLook() (v kernel.View, fresh bool) { return w.view.now, w.view.fresh }

// Silent reports whether a program that has printed nothing waits for nothing
// but time.
func (w *Watch) Silent() bool {
	v := &w.view.now
	return w.State.Raw.Total == 0 && w.view.fresh && v.Asleep && !v.Waiting && !v.Listens
}
