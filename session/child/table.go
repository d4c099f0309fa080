package child

import "sync/atomic"

// A table reads the process table for several callers at once: when many children
// end together, each would otherwise read it for itself. It is safe for concurrent
// use.
type table struct {
	read  func() []process
	calls atomic.Int64  // begun so far
	turn  chan struct{} // holds a token while the table is not being read; guards the fields below

	answers int64 // the number of the last call that began before all was read
	all     []process
}

// newTable returns a table that calls read.
func newTable(read func() []process) *table {
	t := &table{read: read, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// processes returns the process table as it was at some moment after the call began.
// The caller must not change it.
func (t *table) processes() []process {
	call := t.calls.Add(1)
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	if t.answers < call {
		t.answers = t.calls.Load()
		t.all = t.read()
	}
	return t.all
}
