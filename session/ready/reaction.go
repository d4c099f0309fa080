package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

const (
	// These limits apply if the kernel does not show whether the work is done, because
	// another process may do it: how long the program's drawing must have paused, and how
	// long to wait for its first output. The second of each pair is for a Reaction that is
	// not Full.
	drawnQuiet, drawnSoon   = 60 * time.Millisecond, 20 * time.Millisecond
	silentLimit, silentSoon = 250 * time.Millisecond, 100 * time.Millisecond
	// besideQuiet is drawnQuiet while another thread has a timer, or while another process of
	// the group is at work: fzf delays its search by up to 100 ms while it reads.
	besideQuiet = 150 * time.Millisecond
	// maxPoll is the longest interval at which a thread polls for keys that another thread
	// has read, as in btop, which takes the keys of one interval for one key.
	maxPoll = 50 * time.Millisecond
)

// A Reaction is what a program does with input, until it waits for more.
type Reaction struct {
	From   int64         // bytes of output before the input
	Full   bool          // wait for the whole reaction, not only until the input was read and handled
	Near   time.Duration // timers up to this length are part of it
	Window time.Duration // how long after handling the input the program may still reinterpret it
	Limit  time.Duration // how long it may take after the input was read
	Line   bool          // it is over as soon as a line editor has submitted its line
	Typing []byte        // wait only until this input can be typed, see Watch.between
	Breaks bool          // wait only until a line editor can be interrupted, see Watch.deaf
	idle   time.Time     // when it was first seen to have handled its input
	Read   time.Time     // when the input was first seen to be read
}

// Unread returns the number of bytes of input that the program has not read, in line mode
// only those of whole lines, or -1 if it is not known.
func (w *Watch) Unread() int {
	if master := w.Child.Terminal(); master != nil {
		if n, ok := kernel.Unread(master); ok {
			return n
		}
	}
	return -1
}

// Reacted reports whether r is over.
func (w *Watch) Reacted(r *Reaction, now time.Time) bool {
	switch {
	case r.Typing != nil:
		return !w.between(r.Typing, now)
	case r.Breaks:
		return !w.deaf(now)
	}
	if w.Unsent() {
		return false
	}
	unread := w.Unread()
	switch {
	case unread > 0:
		return false
	case r.Line && w.State.HandedOver():
		return true
	}
	w.Freshen(now)
	k, v := w.Kernel(), w.view.now
	if unread == 0 && (v.Nested == 0 || w.view.relayRan()) || k.Looked && (!k.Known || k.Waiting && !k.Unproven) {
		if r.Read.IsZero() {
			r.Read = now
		}
	}
	switch {
	case r.Read.IsZero() || !k.Looked || w.State.HalfDrawn(now):
		return false
	case !k.Known:
		return w.drew(r, now, drawnQuiet)
	case !v.Drained || !(v.Asleep && v.Listens || v.Reader != 0):
		return false // it is at work, or does not return to its input
	}
	if r.idle.IsZero() {
		r.idle = now
	}
	poll := w.poll()
	switch local := v.Asleep && poll == 0 && (v.Place != 0 || v.Sole && v.Rest != kernel.RestEvents); {
	case v.Final():
		return true
	case timerWithin(v, r.Near) && !timerWithin(w.view.beforeCall, r.Near):
		return false // the program sets no such timer without input
	case now.Sub(r.idle) < max(r.Window, poll):
		return false
	case v.Reader != 0:
		return w.drew(r, now, besideQuiet)
	case r.Full && v.Rest != kernel.RestIdle && v.Wakes == 0:
		return w.drew(r, now, besideQuiet) // another thread's timer, of unknown length
	default:
		return local || w.drew(r, now, drawnQuiet)
	}
}

// reachedAt returns when the last input was begun or the last piece written, if that is later.
func (w *Watch) reachedAt() time.Time {
	return slices.MaxFunc([]time.Time{w.State.Last.Time, w.reached}, time.Time.Compare)
}

// drew reports whether the program has stopped drawing since its input, or draws nothing.
func (w *Watch) drew(r *Reaction, now time.Time, quiet time.Duration) bool {
	silent := silentLimit
	if !r.Full {
		quiet, silent = drawnSoon, silentSoon
	}
	if w.State.Raw.Total > r.From {
		return now.Sub(w.State.LastOutput) >= quiet
	}
	return now.Sub(w.reachedAt()) >= silent
}

// poll returns the longest interval of at most maxPoll at which another thread of the program
// wakes, or 0 if there is none. It also uses the look before the input, because a look at a
// program that is awake shows no timers.
func (w *Watch) poll() (poll time.Duration) {
	for _, t := range slices.Concat(w.view.now.Timers, w.view.beforeCall.Timers) {
		if !t.Own && !t.Relay && t.Length <= maxPoll {
			poll = max(poll, t.Length)
		}
	}
	return poll
}

// Polls reports whether another thread of the program wakes many times per second, perhaps
// to look for keys.
func (w *Watch) Polls() bool { return w.poll() > 0 }

// timerWithin reports whether a timer ends the program's wait within d.
func timerWithin(v kernel.View, d time.Duration) bool {
	return v.Timed && v.Timeout > 0 && v.Timeout <= d || v.Wakes > 0 && v.Wakes <= d
}

// between reports whether the foreground program is between two reads, so that data typed now
// might arrive changed.
//
// In line mode the kernel handles some characters itself. ctrl+d becomes an end of file,
// which a program gets as a zero byte if it reads in raw mode later; ctrl+u erases the part
// of the line that the kernel still holds. A line editor is in line mode while it runs a
// line and while it draws its prompt; irb's enters it for a moment ten times per second.
// After Enter, a shell stays in raw mode until it runs the command: a line for the command
// that is typed before then has no line end.
func (w *Watch) between(data []byte, now time.Time) bool {
	tty := w.LookTTY()
	if w.view.looker == nil || !tty.Takes(data) && !w.leaves(&tty) {
		return false
	}
	w.Look(now)
	v := w.view.now
	switch {
	case !v.Known || v.Nested > 0:
		return false
	case v.Modes.Canonical:
		return !v.Waiting && tty.Takes(data) && (!v.Asleep || v.Stopped || slices.Contains(w.editors, v.Foreground.PGID))
	default:
		return w.notReading()
	}
}

// notReading reports whether a program that reads in raw mode is not back at its read.
func (w *Watch) notReading() bool {
	v := w.view.now
	return w.Unsent() || !v.Waiting && v.Reader == 0 || w.Unread() > 0
}

// deaf reports whether a line editor is between two reads, and may miss an interrupt: bash
// then keeps the line, and later runs it without its first character.
func (w *Watch) deaf(now time.Time) bool {
	tty := w.LookTTY()
	if w.view.looker == nil || !w.edits(&tty) || tty.Interrupt == 0 {
		return false
	}
	w.Look(now)
	v := w.view.now
	return v.Known && v.Nested == 0 && !v.Modes.Canonical && w.notReading()
}

// edits reports whether the foreground program is a line editor that reads in raw mode.
func (w *Watch) edits(tty *kernel.TTY) bool {
	return tty.Known && !tty.Canonical && !w.State.Term.FullScreen() && slices.Contains(w.editors, tty.Group)
}

// leaves reports whether a line editor that reads in raw mode may be about to leave that mode,
// to run the line that was submitted.
func (w *Watch) leaves(tty *kernel.TTY) bool {
	given := w.Unsent() || w.State.Last.Started && w.State.Last.Submitted && !w.State.MarkEvidence().Prompt
	return given && w.edits(tty)
}
