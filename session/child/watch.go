package child

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// watchFast is the interval at which trees with limits are measured while one of them works.
	// watchSlow is the interval when all have been idle for long.
	watchFast = 250 * time.Millisecond
	watchSlow = 30 * time.Second
	// watchShare limits the cost of measurements, which read a file for each process of the
	// machine: the watcher rests at least watchShare times as long as the last measurement took.
	// watchRest limits that rest, because a measurement may take long only because the measured
	// trees keep the processors busy.
	watchShare = 50
	watchRest  = 2 * time.Second
)

// A watcher measures the process trees of an owner's children that have limits. Each measurement
// reads the process table once for all trees. The watcher measures often while a tree works, less
// and less often while all are idle, and never while no child has limits.
type watcher struct {
	owner *Local
	start sync.Once     // starts loop
	calm  atomic.Bool   // the last measurement found all trees idle, or no trees
	wake  chan struct{} // receives a value if, while calm is set, a child reads or writes, or a child is added

	mu       sync.Mutex // guards children
	children map[*localChild]*tally
}

// A tally is what the watcher remembers of a process tree between two measurements. Only the
// watcher's goroutine uses it.
type tally struct {
	use                            // at the last measurement
	endedCPU time.Duration         // CPU time of orphans that have ended
	orphans  map[int]time.Duration // CPU time of living orphans, by process id
}

// A process is an entry of the process table.
type process struct {
	pid, parent    int
	group, session int
	state          byte // R, S, D, T, Z …, see proc_pid_stat(5)
	name           string
	orphan         bool          // its parent is this process, so it may be an orphan; set on Linux only
	cpu            time.Duration // of the process and of the children for which it has waited
	resident       int64         // bytes
	started        int64         // time of the start, in clock ticks on Linux and nanoseconds on macOS; only compared
}

// alive reports whether the process has not ended.
func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' }

func newWatcher(l *Local) *watcher {
	return &watcher{owner: l, wake: make(chan struct{}, 1), children: map[*localChild]*tally{}}
}

// add begins to watch a child that has limits.
func (w *watcher) add(c *localChild) {
	if c.spec.Limits == (Limits{}) {
		return
	}
	w.mu.Lock()
	w.children[c] = &tally{}
	w.mu.Unlock()
	w.calm.Store(true)
	w.notify()
	w.start.Do(func() { w.owner.loops.Go(w.loop) })
}

// remove stops watching a child.
func (w *watcher) remove(c *localChild) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.children, c)
}

// notify wakes the watcher if calm is set. It is called whenever a child reads or writes, so it is
// cheap.
func (w *watcher) notify() {
	if w.calm.Load() && w.calm.CompareAndSwap(true, false) {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// loop measures until the owner is closed.
func (w *watcher) loop() {
	pause := watchFast
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-w.owner.done:
			return
		case <-w.wake:
			pause = watchFast
			timer.Reset(pause)
			continue
		case <-timer.C:
		}
		began := time.Now()
		watched, worked := w.measure()
		if !watched {
			w.calm.Store(true)
			continue // the timer stays off until a child is added
		}
		w.calm.Store(!worked)
		pause = nextPause(pause, worked)
		timer.Reset(max(pause, min(watchShare*time.Since(began), watchRest)))
	}
}

// nextPause returns the pause before the next measurement, given the last pause.
func nextPause(last time.Duration, worked bool) time.Duration {
	if worked {
		return watchFast
	}
	return min(2*last, watchSlow)
}

// measure measures all trees once and kills those that are over a limit. watched reports whether any
// child has limits. worked reports whether a tree has used a processor, or gained or lost a process.
func (w *watcher) measure() (watched, worked bool) {
	w.mu.Lock()
	kids := maps.Clone(w.children)
	w.mu.Unlock()
	if len(kids) == 0 {
		return false, false
	}
	var roots []*root
	for c := range kids {
		roots = append(roots, &c.root)
	}
	found := trees(w.owner.table.processes(), roots)
	for c, t := range kids {
		tree, before := found[&c.root], t.use
		t.count(c.PID(), tree)
		worked = worked || t.cpu != before.cpu || t.processes != before.processes
		exact := func() int64 { return memoryOf(tree) }
		if o := c.spec.Limits.exceeded(t.use, exact); o.What != "" {
			c.enforce(o, tree)
		}
	}
	return true, worked
}

// count adds up what the processes of a tree use now. When a process ends, the kernel adds its time
// to that of the parent that waits for the process. The time of an orphan would be lost, because
// its new parent is not in the tree, so endedCPU keeps it.
func (t *tally) count(child int, tree []process) {
	t.use = use{}
	orphans := map[int]time.Duration{}
	for _, p := range tree {
		t.cpu += p.cpu
		if p.orphan && p.pid != child {
			orphans[p.pid] = p.cpu
		}
		if p.state != 'Z' {
			t.processes++
			t.resident += p.resident
		}
	}
	for pid, spent := range t.orphans {
		if _, lives := orphans[pid]; !lives {
			t.endedCPU += spent
		}
	}
	t.orphans = orphans
	t.cpu += t.endedCPU
}
