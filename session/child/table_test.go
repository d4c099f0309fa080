package child

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTable has many callers look at once: they share few readings, and each gets
// one that began after its call.
func TestTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads, clock atomic.Int64
		tab := &table{read: func() []process {
			reads.Add(1)
			began := clock.Load()
			time.Sleep(time.Second)
			return []process{{pid: int(began)}}
		}}
		var all sync.WaitGroup
		for i := range 1000 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				now := clock.Add(1)
				if got := tab.processes(); int64(got[0].pid) < now {
					t.Errorf("a call at %d got what was read at %d", now, got[0].pid)
				}
			})
		}
		all.Wait()
		if n := reads.Load(); n > 3 {
			t.Errorf("%d readings", n)
		}
		if got := tab.processes(); int64(got[0].pid) != clock.Load() {
			t.Errorf("later: %v", got)
		}
	})
}
