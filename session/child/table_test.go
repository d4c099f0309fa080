package child

import (
	"os"
	"slices"
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
		tab := newTable(func() []process {
			reads.Add(1)
			began := clock.Load()
			time.Sleep(time.Second)
			return []process{{pid: int(began)}}
		})
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

// TestStarts checks that a process counts as the same only while its start is.
func TestStarts(t *testing.T) {
	self := os.Getpid()
	s := startsOf([]int{self, 1 << 30})
	if got := s.same(); !slices.Equal(got, []int{self}) {
		t.Errorf("got %v, want this process, %d", got, self)
	}
	if s[self]--; len(s.same()) != 0 {
		t.Errorf("another process with the id is the same: %v", s.same())
	}
}
