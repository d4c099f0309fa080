package session

import (
	"log/slog"
	"runtime/debug"

	"github.com/glasstty/glasstty/session/kernel"
)

// A looker asks the kernel what a program does: a kernel.Looker.
type looker interface {
	Look() kernel.View
	Close()
}

// openView begins to look at the terminal. Without a looker the kernel's view is
// not known, and other layers decide.
func (s *Session) openView() {
	var l *kernel.Looker
	var err error
	if master := s.child.Terminal(); master != nil {
		l, err = kernel.NewLooker(master, s.child.PID())
	} else {
		l, err = kernel.NewPipeLooker(s.child.PID())
	}
	if err == nil {
		s.view.looker = l
	}
}

// look takes a look. What it reads the programs have made: should it stumble over
// that, it ends the looks of this session, so that the other layers decide, and not
// the server with all sessions.
func (w *view) look() (v kernel.View) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("a look at a program failed; prompts and pauses decide for its session from now on; please report this", "panic", p, "stack", string(debug.Stack()))
			w.close()
			v = kernel.View{}
		}
	}()
	return w.looker.Look()
}

// close gives back what the looker holds.
func (w *view) close() {
	if w.looker != nil {
		w.looker.Close()
		w.looker = nil
	}
}
