package child

import (
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// TestTable checks that many callers at once share a few readings, and that each gets a reading
// that began after its call.
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
					t.Errorf("a call at %d got a reading from %d", now, got[0].pid)
				}
			})
		}
		all.Wait()
		if n := reads.Load(); n > 3 {
			t.Errorf("%d readings, want at most 3", n)
		}
		if got := tab.processes(); int64(got[0].pid) != clock.Load() {
			t.Errorf("later: %v", got)
		}
	})
}

// TestSurvives checks that a process counts as the same only if its start time is the same, and
// that no other process gets its signals.
func TestSurvives(t *testing.T) {
	sleep := exec.Command(need.Program(t, "sleep"), "1000")
	sleep.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	defer sleep.Wait()
	defer sleep.Process.Kill()
	p, ok := readProcess(sleep.Process.Pid)
	if !ok || !p.survives() {
		t.Fatalf("%+v does not live", p)
	}
	if got := survivors([]process{p, {pid: 1 << 30}, p}); len(got) != 1 || got[0].pid != p.pid {
		t.Errorf("got %+v, want one process, %d", got, p.pid)
	}
	before := p // had the same ID, and has ended
	before.started--
	if before.survives() || len(survivors([]process{before})) != 0 {
		t.Error("another process with the same ID counts as the same")
	}
	before.signal(syscall.SIGKILL)
	killGroups([]process{before, {pid: 1 << 30, group: p.group}}) // the other one's group
	if !p.survives() {
		t.Fatal("the signal for an earlier process with its ID ended the process")
	}
	p.signal(syscall.SIGTERM)
	if err := sleep.Wait(); err == nil || err.Error() != "signal: terminated" {
		t.Errorf("it ended with %v", err)
	}
}
