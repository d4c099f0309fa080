package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// These limits apply if the kernel does not show whether the work is done: a look fails, or another
// process or thread may do the work.
const (
	// drawPause is how long the program's drawing must have paused, and firstOutput how long to
	// wait for its first output.
	drawPause   = 60 * time.Millisecond
	firstOutput = 250 * time.Millisecond
	// For a Reaction without Finish, handledPause replaces drawPause and othersPause, and
	// handledOutput replaces firstOutput.
	handledPause  = 20 * time.Millisecond
	handledOutput = 100 * time.Millisecond
	// othersPause replaces drawPause while another thread has a timer, or while another process of
	// the group is at work: fzf delays its search by up to 100 ms while it reads.
	othersPause = 150 * time.Millisecond
)

// maxPoll is the longest interval of a timer that may serve to poll for keys. In btop, one thread
// polls for the keys that another has read, and takes the keys of one interval for one key.
const maxPoll = 50 * time.Millisecond

// A Reaction describes a wait for a program's reaction to input, and records what was seen of it.
type Reaction struct {
	OutputBefore int64         // bytes of output before the input
	Finish       bool          // wait until the program has finished its work, not only until it has handled the input
	MaxTimer     time.Duration // timers up to this length are part of the reaction
	PasteWindow  time.Duration // how long after handling the input the program may take more input for a part of a paste
	Limit        time.Duration // how long the reaction may take after the input was read
	Submit       bool          // the reaction is also over as soon as a line editor has submitted its line
	ForInput     []byte        // wait only until this input can be typed, see Watch.mayChange
	ForInterrupt bool          // wait only until a line editor can be interrupted, see Watch.mayMissInterrupt

	ReadAt    time.Time // when the input was first seen to be read
	handledAt time.Time // when the input was first seen to be handled
}

// UnreadInput returns the number of bytes of input that the program has not read, in line mode
// only those of whole lines, or -1 if it is not known.
func (w *Watch) UnreadInput() int {
	if master := w.Child.Terminal(); master != nil {
		if n, ok := kernel.UnreadInput(master); ok {
			return n
		}
	}
	return -1
}

// Reacted reports whether the reaction is over. It takes a look if one is due, and records in r when the
// input was read and handled.
func (w *Watch) Reacted(r *Reaction, now time.Time) bool {
	switch {
	case r.ForInput != nil:
		return !w.mayChange(r.ForInput, now)
	case r.ForInterrupt:
		return !w.mayMissInterrupt(now)
	}
	if w.Unsent() {
		return false
	}
	unread := w.UnreadInput()
	switch {
	case unread > 0:
		return false
	case r.Submit && w.State.EditorReturned():
		return true
	}
	w.Refresh(now)
	k, v := w.Kernel(), w.view.now
	if unread == 0 && (v.Nested == 0 || w.view.relayRan()) || k.Current && (!k.Known || k.Waiting && !k.InputUnread) {
		if r.ReadAt.IsZero() {
			r.ReadAt = now
		}
	}
	switch {
	case r.ReadAt.IsZero() || !k.Current || w.State.HalfDrawn(now):
		return false
	case !k.Known:
		return w.stoppedDrawing(r, now, drawPause)
	case !v.Drained || !(v.Asleep && v.HasReader || v.Reader != 0):
		return false // the program is at work, or does not return to its input
	}
	if r.handledAt.IsZero() {
		r.handledAt = now
	}
	poll := w.pollInterval()
	switch local := v.Asleep && poll == 0 && (v.Place != 0 || v.OnlyTerminal && v.Others != kernel.OthersEvents); {
	case v.Final():
		return true
	case timerWithin(v, r.MaxTimer) && !timerWithin(w.view.beforeCall, r.MaxTimer):
		return false // the program has set the timer since the call began to type
	case now.Sub(r.handledAt) < max(r.PasteWindow, poll):
		return false
	case v.Reader != 0:
		return w.stoppedDrawing(r, now, othersPause)
	case r.Finish && v.Others != kernel.OthersIdle && v.WakesAfter == 0:
		return w.stoppedDrawing(r, now, othersPause) // another thread's timer, of unknown length
	default:
		return local || w.stoppedDrawing(r, now, drawPause)
	}
}

// lastInputAt returns when the latest piece of input was applied to the State or was written,
// whichever is later.
func (w *Watch) lastInputAt() time.Time {
	return slices.MaxFunc([]time.Time{w.State.Last.Time, w.writtenAt}, time.Time.Compare)
}

// stoppedDrawing reports whether the program has drawn since its input and then paused for pause, or
// has drawn nothing within firstOutput. If r.Finish is false, the limits are handledPause and
// handledOutput instead.
func (w *Watch) stoppedDrawing(r *Reaction, now time.Time, pause time.Duration) bool {
	first := firstOutput
	if !r.Finish {
		pause, first = handledPause, handledOutput
	}
	if w.State.Raw.Total > r.OutputBefore {
		return now.Sub(w.State.LastOutput) >= pause
	}
	return now.Sub(w.lastInputAt()) >= first
}

// pollInterval returns the longest interval of at most maxPoll at which another thread of the program
// wakes, or 0 if there is none. It also uses the look before the call's first input, because a look
// at a program that is awake shows no timers.
func (w *Watch) pollInterval() (poll time.Duration) {
	for _, t := range slices.Concat(w.view.now.Timers, w.view.beforeCall.Timers) {
		if !t.Own && !t.Relay && t.Length <= maxPoll {
			poll = max(poll, t.Length)
		}
	}
	return poll
}

// Polls reports whether another thread of the program wakes many times per second, perhaps
// to look for keys.
func (w *Watch) Polls() bool { return w.pollInterval() > 0 }

// timerWithin reports whether one of the program's waits is known to have a time limit of at most d.
func timerWithin(v kernel.View, d time.Duration) bool {
	return v.Timed && v.Timeout > 0 && v.Timeout <= d || v.WakesAfter > 0 && v.WakesAfter <= d
}

// mayChange reports whether data typed now might arrive changed, because the foreground program is
// between two reads.
//
// In line mode the kernel handles some characters itself. ctrl+d becomes an end of file,
// which a program gets as a zero byte if it reads in raw mode later; ctrl+u erases the part
// of the line that the kernel still holds. A line editor is in line mode while it runs a
// line and while it draws its prompt; irb's enters it for a moment ten times per second.
// After Enter, a shell stays in raw mode until it runs the command. If a line for the command is
// typed before then, the kernel does not turn its Enter into a line end.
func (w *Watch) mayChange(data []byte, now time.Time) bool {
	tty := w.LookTTY()
	if w.view.looker == nil || !tty.EditsLine(data) && !w.leavesRawMode(&tty) {
		return false
	}
	w.Look(now)
	v := w.view.now
	switch {
	case !v.Known || v.Nested > 0:
		return false
	case v.Modes.Canonical:
		return !v.Waiting && tty.EditsLine(data) && (!v.Asleep || v.Stopped || slices.Contains(w.editors, v.Foreground.PGID))
	default:
		return w.notReading()
	}
}

// notReading reports whether a program that reads in raw mode has not returned to its read, or has
// input left to read.
func (w *Watch) notReading() bool {
	v := w.view.now
	return w.Unsent() || !v.Waiting && v.Reader == 0 || w.UnreadInput() > 0
}

// mayMissInterrupt reports whether a line editor is between two reads and may therefore miss an
// interrupt: bash then keeps the line, and later runs the line without its first character.
func (w *Watch) mayMissInterrupt(now time.Time) bool {
	tty := w.LookTTY()
	if w.view.looker == nil || !w.isLineEditor(&tty) || tty.Interrupt == 0 {
		return false
	}
	w.Look(now)
	v := w.view.now
	return v.Known && v.Nested == 0 && !v.Modes.Canonical && w.notReading()
}

// isLineEditor reports whether the foreground program is a line editor that reads in raw mode.
func (w *Watch) isLineEditor(tty *kernel.TTY) bool {
	return tty.Known && !tty.Canonical && !w.State.Term.FullScreen() && slices.Contains(w.editors, tty.Group)
}

// leavesRawMode reports whether a line editor that reads in raw mode may be about to leave that
// mode, to run the line that was submitted.
func (w *Watch) leavesRawMode(tty *kernel.TTY) bool {
	submitted := w.Unsent() || w.State.Last.Started && w.State.Last.Submitted && !w.State.MarkEvidence().Prompt
	return submitted && w.isLineEditor(tty)
}
