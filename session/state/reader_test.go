package state

import "testing"

// TestReaderRun puts a reader back to where a run began, when the run is made again or
// nobody got its answer, and only then.
func TestReaderRun(t *testing.T) {
	r := &Reader{Raw: 10}
	r.BeginRun("x")
	r.Begin("x.1")
	r.Raw = 20
	r.Begin("x.2")
	r.Raw = 30
	r.BeginRun("x")
	if r.Raw != 10 {
		t.Errorf("made again: at %d, want 10", r.Raw)
	}
	r.Raw = 40
	r.BeginRun("y")
	if r.Raw != 40 {
		t.Errorf("another run: at %d, want 40", r.Raw)
	}
	r.Raw = 50
	r.Return()
	if r.Raw != 40 {
		t.Errorf("broken off: at %d, want 40", r.Raw)
	}
	for range 2 { // a name of nobody's
		r.BeginRun("")
		r.Raw++
	}
	if r.Raw != 42 {
		t.Errorf("without a name: at %d, want 42", r.Raw)
	}
}
