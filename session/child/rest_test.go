package child

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestRest checks when trees at rest are measured.
func TestRest(t *testing.T) {
	now := time.Now()
	then := machine{tasks: 5000, memory: 4 << 30}
	limits := Limits{Processes: 100, Memory: 1 << 30}
	for name, tt := range map[string]struct {
		limits Limits
		after  time.Duration
		now    machine
		hidden bool
		want   bool
	}{
		"nothing happens":        {limits: limits, after: restMost - 1, now: then},
		"a few processes":        {limits: limits, now: machine{5021, 4 << 30}},
		"many processes":         {limits: limits, now: machine{5022, 4 << 30}, want: true},
		"some memory":            {limits: limits, now: machine{5000, 4<<30 + 127<<20}},
		"much memory":            {limits: limits, now: machine{5000, 4<<30 + 128<<20}, want: true},
		"memory is freed":        {limits: limits, now: machine{5000, 1 << 30}},
		"processes end":          {limits: limits, now: machine{10, 4 << 30}},
		"long ago":               {limits: limits, after: restMost, now: then, want: true},
		"not told":               {limits: limits, now: then, hidden: true, want: true},
		"processors, not yet":    {limits: Limits{CPU: 10*time.Second + time.Minute*time.Duration(runtime.NumCPU())}, after: time.Minute - 1, now: machine{9999, 9 << 30}},
		"processors, perhaps":    {limits: Limits{CPU: 10*time.Second + time.Minute*time.Duration(runtime.NumCPU())}, after: time.Minute, now: then, want: true},
		"only processes limited": {limits: Limits{Processes: 100}, now: machine{5000, 9 << 30}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRest(now, func() (machine, bool) { return then, true })
			r.leave(tt.limits, use{processes: 10, resident: 512 << 20, cpu: 10 * time.Second})
			r.leave(tt.limits, use{processes: 1})
			if got := r.over(now.Add(tt.after), func() (machine, bool) { return tt.now, !tt.hidden }); got != tt.want {
				t.Errorf("over %v, want %v", got, tt.want)
			}
		})
	}
	hidden := newRest(now, func() (machine, bool) { return machine{}, false })
	if !hidden.over(now, func() (machine, bool) { return then, true }) {
		t.Error("what was not told is not a ground to rest")
	}
}

// TestWatcherRests checks when a child at rest is looked at, and that nobody looks
// when there is none.
func TestWatcherRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &Local{done: make(chan struct{})}
		w := newWatcher(l)
		var mu sync.Mutex // guards reads and then, and orders looks at w.rest before the next
		reads, then := 0, machine{tasks: 1, memory: 1}
		w.machine = func() (machine, bool) {
			mu.Lock()
			defer mu.Unlock()
			reads++
			return then, true
		}
		c := &localChild{
			spec: Spec{Limits: Limits{Processes: 10}}, exited: make(chan struct{}),
			cmd: &exec.Cmd{Process: &os.Process{Pid: 1 << 30}}, // nobody's
		}
		w.add(c)
		pass := func(d time.Duration) int {
			time.Sleep(d)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return reads
		}
		looked := func(what string, want bool, do func()) {
			t.Helper()
			mu.Lock()
			before := w.rest.at
			mu.Unlock()
			do()
			if got := !w.rest.at.Equal(before); got != want {
				t.Errorf("%s: looked %v, want %v", what, got, want)
			}
		}
		looked("begin", true, func() { pass(watchFast) })
		looked("rest", false, func() { pass(restMost - watchSlow) })
		looked("long rest", true, func() { pass(2 * watchSlow) })
		looked("output", true, func() { w.stir(); pass(watchFast) })
		looked("many processes", true, func() {
			mu.Lock()
			then.tasks += 10
			mu.Unlock()
			pass(time.Minute)
		})
		w.remove(c)
		before := pass(time.Minute)
		if more := pass(time.Hour) - before; more > 0 {
			t.Errorf("the machine was read %d times though there was no child", more)
		}
		close(l.done)
		l.loops.Wait()
	})
}
