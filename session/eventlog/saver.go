package eventlog

import (
	"sync"
	"sync/atomic"
)

// A StateSaver saves the states of a log's segments in the background. The zero value is
// ready to use. It is safe for concurrent use.
type StateSaver struct {
	writing sync.Mutex // held while a state is written
	queued  atomic.Pointer[func()]
}

// Save saves the terminal's state at the beginning of the segment at an offset (see
// SaveState). It replaces a state that is still waiting to be written: without that one, a
// replay begins further back.
func (v *StateSaver) Save(store Store, offset int64, state []byte) {
	save := func() { _ = SaveState(store, offset, state) } // a log without the state is still valid
	if v.queued.Swap(&save) == nil {
		go v.Wait()
	}
}

// Wait waits until no state is queued. It writes a queued state itself, unless another
// goroutine does.
func (v *StateSaver) Wait() {
	v.writing.Lock()
	defer v.writing.Unlock()
	if save := v.queued.Swap(nil); save != nil {
		(*save)()
	}
}
