package ready

import (
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// TestContinuationWithNewLook checks that a continuation prompt is a prompt if only the look that
// Decide takes shows that the program waits for its terminal alone. The threads of python's asyncio
// are busy for a moment after the prompt was written.
func TestContinuationWithNewLook(t *testing.T) {
	group := syscall.Getpgrp()
	busy := kernel.View{
		Known: true, Drained: true, Foreground: kernel.Process{PGID: group, PID: group, Comm: "python3"},
		Activity: kernel.Activity{Threads: 2, Slices: 1},
	}
	waits := busy
	waits.Asleep, waits.Waiting, waits.OnlyTerminal, waits.HasReader, waits.How = true, true, true, true, kernel.HowPoll
	looker := &recording{busy}
	w := &Watch{Unsent: noInput, State: state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 6, Cols: 40}}}), Child: recordedChild{}}
	w.view.looker = looker
	w.State.Prompts.Learn(">>> ", false)
	now := time.Now()
	w.State.Apply(now, &eventlog.Event{Kind: eventlog.Output, Data: []byte(">>> for i in range(2):\r\n... ")})
	w.Look(now)

	looker.v = waits
	now = now.Add(20 * time.Millisecond)
	e := w.Evidence(now, false)
	if v := w.Decide(&e); v.Reason != detect.Prompt || v.Layer != detect.LayerKernel {
		t.Errorf("%+v, want a prompt by the kernel's view", v)
	}
}
