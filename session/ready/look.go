package ready

import (
	"log/slog"
	"runtime/debug"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// A looker asks the kernel what a program does: a kernel.Looker.
type looker interface {
	Look() kernel.View
	Close()
}

// Open begins to observe a child and the state of its session. If no looker can be created, package
// detect decides without the kernel, by prompts and pauses.
func (w *Watch) Open(st *state.State, c child.Child) {
	w.State, w.Child = st, c
	var l *kernel.Looker
	var err error
	if master := w.Child.Terminal(); master != nil {
		l, err = kernel.NewLooker(master, w.Child.PID())
	} else {
		l, err = kernel.NewPipeLooker(w.Child.PID())
	}
	if err == nil {
		w.view.looker = l
	}
}

// look takes a look. The looker reads data that programs control. If such data makes the looker panic,
// look ends the looks of this session: prompts and pauses decide, and the server keeps running.
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

func (w *view) close() {
	if w.looker != nil {
		w.looker.Close()
		w.looker = nil
	}
}
