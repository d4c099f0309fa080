package ready

import (
	"cmp"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
)

// Where returns a function that returns the working directory of the session's program, which was started
// in dir, and the name of the foreground process, or "" if the program has ended. The function may ask
// the kernel. It does not use the Watch, so it can be called without the session's mutex.
func (w *Watch) Where(tty kernel.TTY, dir string) func() (cwd, foreground string) {
	pid, cwd, comm := w.Child.PID(), w.State.Cwd, ""
	if w.State.Ended {
		return func() (string, string) { return cwd, "" }
	}
	if view, fresh := w.LastLook(); fresh && view.Foreground.PGID == tty.Group {
		comm = view.Foreground.Comm // in a pipeline, the process that waits for input
	}
	return func() (string, string) {
		if tty.Group <= 0 {
			comm = ""
		} else if comm == "" {
			comm = child.GroupName(tty.Group)
		}
		if comm == "" {
			comm = child.Name(pid)
		}
		if cwd == "" {
			cwd = cmp.Or(child.Cwd(pid), dir)
		}
		return cwd, comm
	}
}
