package eventlog

import "sync"

// A StateSaver writes the states of a log's segments in the background. Its zero value is
// ready. It is safe for concurrent use.
type StateSaver struct {
	mu     sync.Mutex // guards what follows
	queued func()
	done   chan struct{} // closed when nothing is queued any more; nil then
}

// Save saves the terminal's state at the beginning of the segment at an offset, see
// SaveState. It drops an older state that waits to be written: without it a replay begins
// further back.
func (v *StateSaver) Save(store Store, offset int64, state []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.queued = func() { _ = SaveState(store, offset, state) } // a state may be missing
	if v.done == nil {
		v.done = make(chan struct{})
		go v.write()
	}
}

// write writes the queued states.
func (v *StateSaver) write() {
	for {
		v.mu.Lock()
		next := v.queued
		v.queued = nil
		if next == nil {
			close(v.done)
			v.done = nil
		}
		v.mu.Unlock()
		if next == nil {
			return
		}
		next()
	}
}

// Wait waits until nothing is queued.
func (v *StateSaver) Wait() {
	v.mu.Lock()
	done := v.done
	v.mu.Unlock()
	if done != nil {
		<-done
	}
}
