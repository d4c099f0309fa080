package state

import "testing"

// TestReaderRun checks that a reader goes back to where a run began if the run is repeated or its
// answer did not arrive, and only then.
func TestReaderRun(t *testing.T) {
	r := &Reader{Raw: 10}
	r.BeginRun("x")
	r.BeginCall("x.1")
	r.Raw = 20
	r.BeginCall("x.2")
	r.Raw = 30
	r.BeginRun("x")
	if r.Raw != 10 {
		t.Errorf("repeated: at %d, want 10", r.Raw)
	}
	r.Raw = 40
	r.BeginRun("y")
	if r.Raw != 40 {
		t.Errorf("another run: at %d, want 40", r.Raw)
	}
	r.Raw = 50
	r.RestoreRun()
	if r.Raw != 40 {
		t.Errorf("not answered: at %d, want 40", r.Raw)
	}
	for range 2 { // runs without a name
		r.BeginRun("")
		r.Raw++
	}
	if r.Raw != 42 {
		t.Errorf("without a name: at %d, want 42", r.Raw)
	}
}
