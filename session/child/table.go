package child

import "sync"

// A table reads the process table for several callers at once: when many children
// end together, each would otherwise read it for itself. It is safe for concurrent
// use.
type table struct {
	read func() []process

	mu   sync.Mutex // guards what follows
	busy bool       // somebody reads
	next *reading   // what those who came meanwhile wait for
}

// A reading is one look at all processes.
type reading struct {
	done chan struct{} // closed when all is there
	all  []process
}

// processes returns the process table as it is at some moment after the call began.
// The caller may not change it.
func (t *table) processes() []process {
	t.mu.Lock()
	if t.next == nil {
		t.next = &reading{done: make(chan struct{})}
	}
	mine := t.next
	if !t.busy {
		t.busy = true
		go t.serve()
	}
	t.mu.Unlock()
	<-mine.done
	return mine.all
}

// serve reads until nobody waits.
func (t *table) serve() {
	for {
		t.mu.Lock()
		r := t.next
		t.next, t.busy = nil, r != nil
		t.mu.Unlock()
		if r == nil {
			return
		}
		r.all = t.read()
		close(r.done)
	}
}
