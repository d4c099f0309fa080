package ready

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/state"
)

// A stumbler is a looker whose Look panics.
type stumbler struct{ closed bool }

// Look panics.
func (*stumbler) Look() kernel.View { var none []kernel.View; return none[len(none)-1] }

// Close records that it was called.
func (s *stumbler) Close() { s.closed = true }

// TestLookFails checks that a look that panics ends the looks of its session, and nothing else.
func TestLookFails(t *testing.T) {
	for name, look := range map[string]func(*view){
		"a look":              func(w *view) { w.look() },
		"a look before input": func(w *view) { w.input([]byte("x\r"), kernel.TTY{}) },
	} {
		l := new(stumbler)
		w := view{looker: l}
		look(&w)
		if w.looker != nil || !l.closed || w.before.Known {
			t.Errorf("%s: the looks go on: %+v", name, w)
		}
	}
}

// answering is a program that, when it is looked at, is back at its prompt with an answer that has
// not arrived yet.
type answering struct {
	recordedChild
	answered bool
}

func (a *answering) Ahead(int64) bool { return a.answered }

func (a *answering) Look() kernel.View {
	a.answered = true
	return kernel.View{Known: true, Drained: true, Asleep: true, Waiting: true, OnlyTerminal: true, HasReader: true}
}

func (*answering) Close() {}

// TestAnswerBehindLook checks that there is no verdict before the answer has arrived, if the answer
// comes between the evidence and the look that a verdict asks for.
func TestAnswerBehindLook(t *testing.T) {
	program := new(answering)
	w := &Watch{Unsent: noInput, State: state.New(state.Options{Terminal: emulator.Options{Size: emulator.Size{Rows: 6, Cols: 40}}}), Child: program}
	w.view.looker = program
	now := time.Now()
	e := w.Evidence(now, false)
	e.Marks.Prompt, e.Output.Last, e.Input.At = true, now.Add(-time.Second), now.Add(-time.Second)
	if v := w.Decide(&e); v.Done || v.Reason == detect.Prompt || v.Again.IsZero() {
		t.Errorf("verdict %+v", v)
	}
}

// noInput reports that no input is on its way.
func noInput() bool { return false }
