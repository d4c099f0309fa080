package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

const (
	// Where the kernel does not tell whether all has been done, as somebody else may
	// do it: what the program has drawn must have stood so long, and for so long its
	// first word is waited for. Each is shorter after a key that submits nothing.
	drawnQuiet, drawnSoon   = 60 * time.Millisecond, 20 * time.Millisecond
	silentLimit, silentSoon = 250 * time.Millisecond, 100 * time.Millisecond
	// besideQuiet is drawnQuiet while another thread has a timer, or another program of
	// its pipeline is at work: fzf puts off its search by up to 100 ms while it reads.
	besideQuiet = 150 * time.Millisecond
	// maxPoll is the longest interval at which another thread looks for keys that one has
	// read, as in btop: those that come within it are one to it.
	maxPoll = 50 * time.Millisecond
)

// A Reaction is what a program does with input, until it waits for more.
type Reaction struct {
	From   int64         // the bytes of output before the input
	Full   bool          // all of it, and not only that the input was read and handled
	Near   time.Duration // timers up to this are part of it
	Window time.Duration // how long after it has handled its input it is still in doubt about it
	Limit  time.Duration // how long it may take once the input was read
	Line   bool          // it is over as soon as a line editor has handed over its line
	Typing []byte        // only what would spoil this input is waited for, see Watch.between
	idle   time.Time     // when it was first seen to have handled its input
	Read   time.Time     // when the input was first seen to be read
}

// unread returns how many bytes of input the program has not read, -1 when that is
// not known.
func (w *Watch) unread() int {
	if master := w.Child.Terminal(); master != nil {
		if n, ok := kernel.Unread(master); ok {
			return n
		}
	}
	return -1
}

// Reacted reports whether r is over.
func (w *Watch) Reacted(r *Reaction, now time.Time) bool {
	if r.Typing != nil {
		return !w.between(r.Typing, now)
	}
	if w.Unsent > 0 {
		return false
	}
	unread := w.unread()
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
		return false // it works, or does not come back to its input
	}
	if r.idle.IsZero() {
		r.idle = now
	}
	poll := w.poll()
	switch local := v.Asleep && poll == 0 && (v.Place != 0 || v.Sole && v.Rest != kernel.RestEvents); {
	case v.Final():
		return true
	case timerWithin(v, r.Near) && !timerWithin(w.view.beforeCall, r.Near):
		return false // it has no such timer by itself
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

// drew reports whether what the program has drawn since its input has come to
// rest, or that it draws nothing.
func (w *Watch) drew(r *Reaction, now time.Time, quiet time.Duration) bool {
	silent := silentLimit
	if !r.Full {
		quiet, silent = drawnSoon, silentSoon
	}
	if w.State.Raw.Total > r.From {
		return now.Sub(w.State.LastOutput) >= quiet
	}
	return now.Sub(latest(w.State.Last.Time, w.reached)) >= silent
}

// pollOf returns the interval at which another thread of the program's wakes, 0 when
// none does within maxPoll.
func pollOf(v kernel.View) (poll time.Duration) {
	for _, t := range v.Timers {
		if !t.Own && !t.Relay && t.Length <= maxPoll {
			poll = max(poll, t.Length)
		}
	}
	return poll
}

// poll is pollOf of what the last look and the one before the input have seen: a look
// while the program is awake sees no timers.
func (w *Watch) poll() time.Duration {
	return max(pollOf(w.view.now), pollOf(w.view.beforeCall))
}

// Polls reports whether another thread of the program's looks for keys, or wakes for
// other ends, many times a second.
func (w *Watch) Polls() bool {
	return w.poll() > 0
}

// timerWithin reports whether a timer of the program's ends its wait within d.
func timerWithin(v kernel.View, d time.Duration) bool {
	return v.Timed && v.Timeout > 0 && v.Timeout <= d || v.Wakes > 0 && v.Wakes <= d
}

// between reports whether the program in front is between two reads and data, typed now, would
// not arrive as it was typed.
//
// In line mode the kernel takes some characters for itself. It makes an end of file of ctrl+d,
// which a program that reads in raw mode later gets as a zero byte; ctrl+u erases what the
// kernel holds of the line. A line editor is in line mode while it runs a line and while it
// draws its prompt; irb's is for a moment ten times a second. A shell that has been given Enter
// stays in raw mode until it runs the command: a line for the command, typed before, has no
// line end.
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
		return w.Unsent > 0 || !v.Waiting && v.Reader == 0 || w.unread() > 0
	}
}

// leaves reports whether a program that has read in raw mode may be about to run the line
// that it has been given.
func (w *Watch) leaves(tty *kernel.TTY) bool {
	given := w.Unsent > 0 || w.State.Last.Started && w.State.Last.Submitted && !w.State.MarkEvidence().Prompt
	return given && tty.Known && !tty.Canonical && !w.State.FullScreen() && slices.Contains(w.editors, tty.Group)
}
