package child

import (
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatcherRests checks when an idle child is looked at, and that there are no looks when there
// is no child.
func TestWatcherRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		l := &Local{done: make(chan struct{}), table: newTable(func() []process { looks.Add(1); return nil })}
		w := newWatcher(l)
		l.watch = w
		c := &localChild{
			spec: Spec{Limits: Limits{Processes: 10}}, exited: make(chan struct{}),
			cmd: &exec.Cmd{Process: &os.Process{Pid: 1 << 30}}, // a process ID that is not in use
		}
		pass := func(what string, d time.Duration, least, most int64) {
			t.Helper()
			before := looks.Load()
			time.Sleep(d)
			synctest.Wait()
			if n := looks.Load() - before; n < least || n > most {
				t.Errorf("%s: %d looks, want %d to %d", what, n, least, most)
			}
		}
		w.add(c)
		pass("begin", watchFast, 1, 1)
		pass("first minute", time.Minute, 5, 8)
		pass("long rest", 10*watchSlow, 9, 11)
		w.notify()
		pass("output", watchFast, 1, 1)
		w.remove(c)
		pass("the child is gone", time.Minute, 0, 1)
		pass("no child", time.Hour, 0, 0)
		close(l.done)
		l.loops.Wait()
	})
}
