package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

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
