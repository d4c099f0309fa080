package kernel

import (
	"time"

	"golang.org/x/sys/unix"
)

// setForeground fills in the foreground process: the group's leader or, if the leader has ended,
// the first member.
func (l *Looker) setForeground(v *View, pgid int) {
	v.Foreground = Process{PGID: pgid}
	for i := range l.procs {
		p := &l.procs[i]
		if p.Group == pgid && (v.Foreground.PID == 0 || p.pid == pgid) {
			v.Foreground.PID, v.Foreground.Comm = p.pid, p.Comm
		}
	}
}

// process returns the process of the session with this id, or nil if this look has not found it.
func (l *Looker) process(pid int) *proc {
	for i := range l.procs {
		if l.procs[i].pid == pid {
			return &l.procs[i]
		}
	}
	return nil
}

// fill sets the fields of the View that follow from the gathered threads.
func (l *Looker) fill(v *View) {
	v.Activity = activity(l.threads)
	v.Asleep = l.unchanged(l.threads)
	v.Stopped = true
	for _, t := range l.threads {
		v.Stopped = v.Stopped && isStopped(t.state)
	}
	w := l.terminalWaiter()
	if v.Asleep {
		v.Timers = l.timers(w)
	}
	v.HasReader = w >= 0
	v.Filters = v.HasReader && l.isFilter(l.threads[w])
	switch {
	case !v.HasReader || !v.Drained || v.Hidden || l.relayBusy || l.outputLeft:
	case v.Asleep:
		l.describeWait(v, w)
	default:
		v.Reader = l.sleepingReader(l.threads[w].pid)
	}
}

// isFilter reports whether t waits in a read of the terminal, its process has a pipe as standard
// input, and the group has another process.
func (l *Looker) isFilter(t *thread) bool {
	alone := true
	for _, o := range l.threads[l.inner:] {
		alone = alone && o.pid == t.pid
	}
	if alone || t.wait.how != HowRead {
		return false
	}
	k, err := l.procfs.kind(t.pid, 0, t.tty, l.dev)
	return err == nil && k == kindPipe
}

// sleepingReader returns pid if all threads of this process have slept since they were gathered, and
// 0 otherwise.
func (l *Looker) sleepingReader(pid int) int {
	for i, t := range l.threads {
		if t.pid == pid && !l.unchanged(l.threads[i:i+1]) {
			return 0
		}
	}
	return pid
}

// terminalWaiter returns the index of a thread of the innermost group that waits for the terminal, or
// -1. It prefers a thread that waits for nothing else, then one without a timeout.
func (l *Looker) terminalWaiter() int {
	best, bestRank := -1, 0
	for i := l.inner; i < len(l.threads); i++ {
		w := &l.threads[i].wait
		if w.how == HowNone || w.momentary() {
			continue
		}
		rank := 1 + 2*int(b2u(!w.others)) + int(b2u(!w.timed))
		if rank > bestRank {
			best, bestRank = i, rank
		}
	}
	return best
}

// momentary reports whether the timeout of the wait is too short for a wait for a person. An event
// loop's wait is never momentary: its timeout only shows when the next timer fires.
func (w *wait) momentary() bool {
	return w.timed && w.timeout > 0 && w.timeout < MinPause && !w.wakeups && !w.others
}

// describeWait fills in what the thread with index w, the reader, and the other threads wait for.
func (l *Looker) describeWait(v *View, w int) {
	t := l.threads[w]
	v.Waiting, v.How = true, t.wait.how
	v.OnlyTerminal = !t.wait.others && !t.wait.wakeups
	v.EventLoop = !t.wait.others && t.wait.wakeups
	v.Timed, v.Timeout = t.wait.timed, t.wait.timeout
	if v.How == HowRead && v.Modes.Read > 0 {
		v.Timed, v.Timeout = true, v.Modes.Read
	}
	v.TID, v.Waiter = t.tid, activity(l.threads[w:w+1])
	if p := l.process(t.pid); p != nil {
		v.Foreground.PID, v.Foreground.Comm = p.pid, p.Comm
	}
	v.Fingerprint = Fingerprint{PGID: v.Foreground.PGID, Modes: v.Modes, How: v.How,
		Timed: v.Timed, Nested: v.Nested, Set: t.wait.set}
	for i := range l.threads {
		if i == w {
			continue
		}
		v.Fingerprint.Others += mix(l.threads[i].wait.set)
		if i >= l.inner {
			v.Others = max(v.Others, l.threads[i].waitClass(t))
		}
	}
	if l.modesHidden {
		v.Others = OthersEvents
	}
	if !v.OnlyTerminal || v.Timed {
		v.Place, v.WakesAfter = l.place(t)
	}
}

// waitClass classifies what t waits for while the thread reader waits for input. If t waits for a pipe
// and belongs to the reader's process, the pipe's other end may be outside of the group. In another
// process, the pipe is taken for part of a pipeline, which is inside the group.
func (t *thread) waitClass(reader *thread) Others {
	if t.wait.pipe && t.pid == reader.pid {
		return OthersEvents
	}
	return t.wait.class
}

// activity sums up the scheduling counters of threads.
func activity(threads []*thread) Activity {
	a := Activity{Threads: len(threads)}
	for _, t := range threads {
		a.IDs += mix(uint64(t.tid))
		a.Run += time.Duration(t.run)
		a.Slices += t.slices
	}
	return a
}

// unchanged reports whether no thread has run since it was gathered, and none is runnable. If so,
// everything that was read in between was true at one instant.
func (l *Looker) unchanged(threads []*thread) bool {
	for _, t := range threads {
		if !l.sleeps(t) {
			return false
		}
	}
	// A thread could wake another one only by running.
	return l.noneRan(threads)
}

// sleeps reports whether a thread sleeps. It reads the thread's stat file, unless the wait is plain:
// for a plain wait, the syscall file suffices and is faster to read.
func (l *Looker) sleeps(t *thread) bool {
	if t.decoded && t.wait.plain {
		return l.procfs.asleep(&t.syscall, t.pid, t.tid)
	}
	st, err := l.threadStat(t)
	if err != nil || !isAsleep(st.State) {
		return false
	}
	t.state = st.State
	return true
}

// threadStat reads a thread's stat file.
func (l *Looker) threadStat(t *thread) (Stat, error) {
	if t.alone {
		return l.procfs.stat(&t.procStat, t.pid, 0)
	}
	return l.procfs.stat(&t.taskStat, t.pid, t.tid)
}

// isStopped reports whether a thread's state means stopped or traced.
func isStopped(state byte) bool { return state == 'T' || state == 't' }

// isAsleep reports whether a thread's state means that the thread neither runs nor waits for a
// disk. The first thread of a process may be a zombie while the others live.
func isAsleep(state byte) bool {
	return state == 'S' || state == 'I' || state == 'Z' || isStopped(state)
}

// lookInside looks at the foreground group of the terminal that the group in
// l.threads[first:] relays, if it relays one.
func (l *Looker) lookInside(v *View, first, depth int) error {
	l.inner = first
	for i := first; i < len(l.threads) && depth < maxNesting; i++ {
		t := l.threads[i]
		if t.wait.masterFD < 0 || t.wait.masters > 1 {
			continue // it is not known which of several terminals is visible
		}
		index, ok := l.procfs.slaveIndex(t.pid, t.wait.masterFD)
		if !ok {
			continue
		}
		d := ptsDevice(index)
		pgid := l.foregroundOf(d)
		if pgid <= 0 {
			continue
		}
		l.relayBusy = l.relayBusy || l.terminalWaiter() < 0
		v.Nested = depth + 1
		return l.lookRelayed(v, t, pgid, d, depth+1)
	}
	return nil
}

// lookRelayed looks at the foreground group of the terminal that thread t relays, and asks that
// terminal through a copy of t's master. First it waits until the input that t has written has
// reached the group: before that, the group's reader sleeps as if nothing had been typed. After
// looking at the group, it checks whether output is left: t may still sleep although the group has
// written output. If the master cannot be copied (Linux before 5.6, a sandbox), the Modes are not
// known, and View.Others is OthersEvents.
func (l *Looker) lookRelayed(v *View, t *thread, pgid int, d device, depth int) error {
	master, err := copyDescriptor(t.pid, t.wait.masterFD)
	if err != nil {
		v.Modes, l.modesHidden = Modes{}, true
		return l.group(v, pgid, d, depth)
	}
	defer unix.Close(master)
	_, _ = unread(master) // waits until the input has arrived
	v.Modes = masterModes(master)
	err = l.group(v, pgid, d, depth)
	l.outputLeft = l.outputLeft || !isDrained(master)
	return err
}

// copyDescriptor returns a copy of another process's descriptor. Close it soon: while it is open,
// the other side of a terminal does not notice the hangup.
func copyDescriptor(pid, fd int) (int, error) {
	p, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(p)
	return unix.PidfdGetfd(p, fd, 0)
}

// foregroundOf returns the foreground group of another terminal, or 0 if none of the
// session's processes has that terminal.
func (l *Looker) foregroundOf(d device) int {
	for i := range l.procs {
		if l.procs[i].TTY == d.rdev && l.procs[i].Foreground > 0 {
			return l.procs[i].Foreground
		}
	}
	return 0
}
