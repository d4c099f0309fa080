package child

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A Gauge counts the bytes that have been read from a child's terminal or pipe. The process that owns
// the child updates the Gauge; a server may read it in shared memory. It fills a cache line.
type Gauge struct {
	busy  atomic.Int64 // 1 while a read is under way, whose bytes total does not contain yet
	total atomic.Int64 // bytes read
	_     [48]byte
}

// beginRead is called before a read, during which bytes leave the terminal.
func (g *Gauge) beginRead() { g.busy.Store(1) }

// endRead is called after the read and counts its n bytes.
func (g *Gauge) endRead(n int) {
	g.total.Add(int64(n))
	g.busy.Store(0)
}

// Total returns the number of bytes read.
func (g *Gauge) Total() int64 { return g.total.Load() }

// gaugeSpin is the longest time that Ahead waits for a read to end. A read takes some
// microseconds, but the scheduler may have suspended the owner in the middle of a read.
const gaugeSpin = 200 * time.Microsecond

// Ahead reports whether more than seen bytes have been read from the child's terminal. It also
// returns true if a read takes longer than gaugeSpin. Call Ahead only after finding the terminal
// empty: every byte that has left the terminal is then counted, or part of a read under way.
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
