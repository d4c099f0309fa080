package ready

import (
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// A Watch gathers the evidence on whether a program has finished answering. It is not safe
// for concurrent use.
type Watch struct {
	State *state.State // the Watch reads it, and applies verdicts to it
	Child child.Child
	Learned

	Unsent   func() bool // reports whether input, or a reply of the terminal, is queued or being written
	Answered bool        // a secret was submitted, or the question for it was interrupted, since the last verdict

	askedByMode bool // the last verdict was that a password is asked for, by the terminal's mode

	writtenAt  time.Time  // when the last piece of input was written
	modes      Foreground // the foreground group and modes as last seen
	modesAt    time.Time  // since when modes has been unchanged; zero if it was never read
	idlePlaces idlePlaces
	view       view
	motion     motion
	editors    []int // process groups that have been seen to wait in raw mode
}

// RelaysLines reports whether a program such as script, expect or sudo relays the terminal
// to a nested terminal in line mode. The kernel gives a program in that terminal only whole lines,
// so a call must not wait until the program has read an unfinished line.
func (w *Watch) RelaysLines() bool {
	w.Refresh(time.Now())
	v, _ := w.LastLook()
	return v.Known && v.Nested > 0 && v.Modes.Known && v.Modes.Canonical
}

// ReadsLines reports whether several lines should be typed one by one instead of as one paste.
// GNU readline submits a pasted block as one line with line breaks in it. Shells can run such a line,
// but few other programs can: gdb cannot. At the marked prompt of a shell, a block is pasted unless there
// is text before the prompt in the prompt's line: readline would draw the block in the wrong column.
func (w *Watch) ReadsLines(tty kernel.TTY) bool {
	if w.State.Marks.Prompted {
		return w.State.Marks.Start.At.Offset > 0
	}
	return tty.Group > 0 && child.HasMapped(tty.Group, "libreadline.")
}
