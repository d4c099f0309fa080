package child

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A Gauge says how far a child has been read. Its owner writes it, and others may
// see it through shared memory. It has the size of a cache line.
type Gauge struct {
	busy  atomic.Int64 // a read is under way, whose bytes are not counted yet
	total atomic.Int64 // bytes read
	_     [48]byte
}

// begin says that bytes may leave the terminal now.
func (g *Gauge) begin() { g.busy.Store(1) }

// end counts what has left it.
func (g *Gauge) end(n int) {
	g.total.Add(int64(n))
	g.busy.Store(0)
}

// Total returns how many bytes have been read.
func (g *Gauge) Total() int64 { return g.total.Load() }

// gaugeSpin is how long Ahead waits for a read to end: it takes some
// microseconds, but the owner may have lost its processor.
const gaugeSpin = 200 * time.Microsecond

// Ahead reports whether more than seen bytes have left the child's terminal, or
// may have. Whoever has found the terminal empty before asks in this order: what
// is not in the terminal any more was counted, or its reader is busy.
func (g *Gauge) Ahead(seen int64) bool {
	if g.busy.Load() != 0 {
		for limit := time.Now().Add(gaugeSpin); g.busy.Load() != 0; runtime.Gosched() {
			if time.Now().After(limit) {
				return true
			}
		}
	}
	return g.total.Load() != seen
}
