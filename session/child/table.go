package child

import "sync/atomic"

// A table reads the process table once for several concurrent callers, such as many children that
// end together. It is safe for concurrent use.
type table struct {
	read  func() []process
	calls atomic.Int64  // the number of calls that have begun
	turn  chan struct{} // holds a token while nobody reads; guards the fields below

	answers int64     // all is valid for the calls up to this one: it was read after they began
	all     []process // the process table
}

// newTable returns a table that calls read.
func newTable(read func() []process) *table {
	t := &table{read: read, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	return t
}

// processes returns the process table as it was after the call began. The caller must not change
// it.
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
