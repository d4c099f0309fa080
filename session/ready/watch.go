package ready

import (
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// A Watch gathers what tells whether a program has finished answering. It is not safe for
// concurrent use: its owner guards it.
type Watch struct {
	State *state.State // which the Watch reads, and tells its verdicts
	Child child.Child
	Learned

	Unsent   int  // pieces of typed input that have not reached the terminal
	Answered bool // a secret has been submitted, or its question broken off, since the last verdict

	askedHere bool // by the terminal's settings, when the last wait found that a password is asked for

	reached time.Time // when the last piece of input had been written
	modes   Front     // as last seen
	modesAt time.Time // since when
	homes   homes
	view    view
	motion  motion
	editors []int // process groups that have been seen to wait in raw mode
}

// RelaysLines reports whether the terminal is relayed to one inside it that is in line
// mode, as by script, expect or sudo: of a line without its end the kernel hands out
// nothing there, so it is in vain to wait until that is read.
func (w *Watch) RelaysLines() bool {
	w.Freshen(time.Now())
	v, _ := w.LastLook()
	return v.Known && v.Nested > 0 && v.Modes.Known && v.Modes.Canonical
}

// ReadsLines reports whether several lines are better typed one by one, as the
// program in front has its lines from GNU readline, which hands a pasted block over as
// one line with line breaks in it: few but shells, whose marks are known, expect that.
// gdb does not. And it draws a block in the wrong place where its prompt does not begin
// a row.
func (w *Watch) ReadsLines(tty kernel.TTY) bool {
	if w.State.Marks.Prompted {
		return w.State.Marks.Start.At.Offset > 0
	}
	return tty.Group > 0 && child.Maps(tty.Group, "libreadline.")
}
