package ready

import (
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
)

// Where is what is known about the place of a program without asking the kernel.
type Where struct {
	Group   int // the process group in front
	running bool
	pid     int    // of the session's program
	comm    string // the name of the process in front, "" if the kernel must be asked
	cwd     string // as reported by OSC 7
	dir     string // in which it was started
}

// Where returns the place of the program, which was started in dir.
func (w *Watch) Where(tty kernel.TTY, dir string) Where {
	at := Where{Group: tty.Group, running: !w.State.Ended, pid: w.Child.PID(), cwd: w.State.Cwd, dir: dir}
	if view, fresh := w.LastLook(); fresh && view.Foreground.PGID == tty.Group {
		at.comm = view.Foreground.Comm // of a pipeline, the one that waits for input
	}
	return at
}

// Ask returns the working directory and the name of the process in front. It may ask the
// kernel.
func (w Where) Ask() (cwd, foreground string) {
	if !w.running {
		return w.cwd, ""
	}
	if w.Group > 0 {
		if foreground = w.comm; foreground == "" {
			foreground = child.GroupName(w.Group)
		}
	}
	if foreground == "" {
		foreground = child.Name(w.pid)
	}
	if w.cwd != "" {
		return w.cwd, foreground
	}
	if cwd = child.Cwd(w.pid); cwd == "" {
		cwd = w.dir
	}
	return cwd, foreground
}
