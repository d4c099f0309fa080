package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// between reports whether the program in front is between two reads, and the terminal is set
// as it was for the one or not yet as for the other, so that data would not arrive as it is
// typed.
//
// In line mode the kernel takes some characters for itself: of a ctrl+d it makes an end of
// file, which a program that reads in raw mode later gets as a zero byte, and ctrl+u erases
// what the kernel has of the line. A line editor is in line mode while it runs what it has
// read and while it draws its prompt, and irb's for a moment ten times a second. A shell that
// has been given Enter is still in raw mode until it runs the command: what that is typed has
// the wrong line ends.
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
