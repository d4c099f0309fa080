package child

import "sync/atomic"

// A table reads the process table once for several concurrent callers, such as many children that
// end together. It is safe for concurrent use.
type table struct {
	read  func() []process
	calls atomic.Int64  // the number of calls that have begun
	turn  chan struct{} // holds a token that a caller takes while it reads; guards the fields below

	answers int64     // the number of the last call that began before all was read: all answers calls up to this one
	all     []process // the process table
}

// newTable returns a table that calls read.
func newTable(read func() []process) *table {
	t := &table{read: read, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// processes returns the process table as it was after the call began. Other callers may have got the
// same slice, so do not change it.
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
