package ready

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// A recording is a looker that returns a recorded look.
type recording struct{ v kernel.View }

func (r *recording) Look() kernel.View { return r.v }
func (r *recording) Close()            {}

// A recordedChild is a program of which only recorded looks are known.
type recordedChild struct{ child.Child }

func (recordedChild) PID() int            { return 0 }
func (recordedChild) Terminal() *os.File  { return nil }
func (recordedChild) Ahead(int64) bool    { return false }
func (recordedChild) Note(eventlog.Event) {}

// TestTicks checks the verdicts on a program that polls its terminal, with a timer that ends the
// wait every 50 ms, and answers a line later. It waits for the answer as it does at its prompt.
func TestTicks(t *testing.T) {
	group := syscall.Getpgrp()
	waits := kernel.View{
		Known: true, Drained: true, Asleep: true, Waiting: true, OnlyTerminal: true, HasReader: true,
		How: kernel.HowPoll, Timed: true, Timeout: 50 * time.Millisecond,
		Foreground: kernel.Process{PGID: group, PID: group, Comm: "python3"}, TID: group,
		Fingerprint: kernel.Fingerprint{PGID: group, How: kernel.HowPoll, Timed: true, Set: 7},
	}
	looker := &recording{waits}
	w := &Watch{Unsent: noInput, State: state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 6, Cols: 40}}}), Child: recordedChild{}}
	w.view.looker = looker
	now := time.Now()
	run := func(output string) {
		looker.v.Activity.Threads = 1
		looker.v.Activity.Slices++
		looker.v.Waiter = looker.v.Activity
		if output != "" {
			w.State.Apply(now, &eventlog.Event{Kind: eventlog.Output, Data: []byte(output)})
		}
		w.SetStale()
		w.Look(now)
	}
	verdict := func(after time.Duration) detect.Verdict {
		now = now.Add(after)
		w.Look(now)
		e := w.Evidence(now, false)
		return w.Decide(&e)
	}
	run("> ")
	v := verdict(30 * time.Millisecond)
	if v.Reason != detect.Prompt {
		t.Fatalf("at the first prompt: %+v", v)
	}
	w.Learn(v)
	w.Prompters = []int{group} // as the terminal reports
	enter := func() {
		w.BeforeInput(now)
		w.State.Apply(now, eventlog.NewNote(eventlog.NoteInput, eventlog.InputNote{Number: w.State.Inputs + 1, Size: 3, Submitted: true, Lines: 1}))
		w.State.Apply(now, &eventlog.Event{Kind: eventlog.Input, Data: []byte("q0\r")})
		w.BeforeWrite([]byte("q0\r"), kernel.TTY{}, true)
		w.AfterWrite(now)
		w.SetStale()
		run("q0\r\n")
	}
	enter()
	for range 20 {
		if v := verdict(49 * time.Millisecond); v.Done {
			t.Fatalf("before the answer: %+v", v)
		}
		run("")
	}
	run("ANSWER q0\r\n> ")
	if v := verdict(6 * time.Millisecond); v.Reason != detect.Prompt || v.Layer != detect.LayerKernel {
		t.Errorf("after the answer: %+v", v)
	}
	enter()
	if v := verdict(6 * time.Second); v.Reason != detect.Settled {
		t.Errorf("without an answer: %+v", v)
	}
}
