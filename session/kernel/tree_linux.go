package kernel

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// A session with more processes or threads than these is not examined: View.Known is false.
const (
	maxProcesses = 1024
	maxThreads   = 2048
)

// errMany is returned for a session with too many processes or threads.
var errMany = errors.New("too many processes or threads")

// A proc is one process of the session.
type proc struct {
	pid int
	Stat
	threads  []*thread // the live threads; nil for a zombie
	idle     bool      // no thread has run since the last look
	descends bool      // the process is a descendant of the foreground group, in another group
}

// A thread caches what looks have found about one thread. The cache is valid until the thread runs.
type thread struct {
	pid, tid int
	tty      uint64 // controlling terminal of its process
	state    byte   // see Stat; until sleeps reads the thread's state, the state of its process
	alone    bool   // its process has no other thread
	run      uint64 // time on a processor, in nanoseconds
	slices   uint64 // time slices on a processor
	children []int  // processes that the thread has started
	wait     wait   // what the thread waits for
	decoded  bool   // wait has been read since the thread last ran
	dev      device // the terminal for which wait was decoded
	look     uint64 // the number of the last look that found the thread
	// The current wait began between these times. beganAfter is zero if there was no complete
	// look before the wait. beganBefore is zero until a look finds the whole group asleep.
	beganAfter, beganBefore time.Time

	// siblings holds all threads of the process, this one included. It is set only for the
	// process's first thread, and empty if the threads are not known.
	siblings []*thread

	procStat, taskStat, schedstat, syscall keptFile
}

// walk fills l.procs with root and all its descendants, except those that end during the walk. It
// fails if root has ended, or if there are too many.
func (l *Looker) walk(root int) error {
	l.procs, l.count, l.look = l.procs[:0], 0, l.look+1
	if err := l.visit(root); err != nil {
		return err
	}
	if err := l.descend(0); err != nil {
		return err
	}
	l.lastBegan = l.began
	return nil
}

// descend appends the descendants of the processes from index at on to l.procs.
func (l *Looker) descend(at int) error {
	for i := at; i < len(l.procs); i++ {
		for _, t := range l.procs[i].threads {
			for _, pid := range t.children {
				if err := l.visit(pid); err != nil && !isGone(err) {
					return err
				}
			}
		}
	}
	return nil
}

// visit appends one process, with its threads, to l.procs.
func (l *Looker) visit(pid int) error {
	if len(l.procs) == maxProcesses {
		return errMany
	}
	leader := l.thread(pid, pid)
	p := proc{pid: pid, idle: true}
	var err error
	if p.Stat, err = l.procfs.stat(&leader.procStat, pid, 0); err != nil {
		return err
	}
	if l.reuse(&p, leader) {
		l.procs = append(l.procs, p)
		return nil
	}
	p.threads, leader.siblings = leader.siblings[:0], nil
	if err := l.visitThreads(&p); err != nil {
		return err
	}
	leader.siblings = p.threads
	l.procs = append(l.procs, p)
	return nil
}

// reuse copies p's threads from the last look if none of them has run since, and reports whether
// it did. What is cached about these threads can change only if one of them runs.
func (l *Looker) reuse(p *proc, leader *thread) bool {
	if p.Threads != len(leader.siblings) || l.count+p.Threads > maxThreads || !l.noneRan(leader.siblings) {
		return false
	}
	p.threads = leader.siblings
	for _, t := range p.threads {
		t.tty, t.state, t.look = p.TTY, p.State, l.look
	}
	l.count += p.Threads
	return true
}

// noneRan reports whether no thread has run since its schedstat was read.
func (l *Looker) noneRan(threads []*thread) bool {
	for _, t := range threads {
		run, slices, err := l.procfs.schedstat(&t.schedstat, t.pid, t.tid)
		if err != nil || run != t.run || slices != t.slices {
			return false
		}
	}
	return true
}

// visitThreads fills in p.threads and p.idle. For a zombie it does nothing.
func (l *Looker) visitThreads(p *proc) error {
	if p.State == 'X' || p.State == 'Z' && p.Threads <= 1 {
		return nil
	}
	l.tids = append(l.tids[:0], p.pid)
	if p.Threads > 1 {
		if err := l.listThreads(p.pid); err != nil {
			return err
		}
	}
	for _, tid := range l.tids {
		t, idle, err := l.visitThread(p, tid)
		if isGone(err) {
			p.idle = false
			continue
		}
		if err != nil {
			return err
		}
		p.threads = append(p.threads, t)
		p.idle = p.idle && idle
	}
	return nil
}

// visitThread reads a thread's schedstat. If the thread has run since the last look, visitThread also
// reads its children: the kernel lists children by the thread that started them. idle reports that the
// thread has not run.
func (l *Looker) visitThread(p *proc, tid int) (t *thread, idle bool, err error) {
	if l.count == maxThreads {
		return nil, false, errMany
	}
	l.count++
	t = l.thread(p.pid, tid)
	run, slices, err := l.procfs.schedstat(&t.schedstat, p.pid, tid)
	if err != nil {
		return nil, false, err
	}
	idle = t.slices == slices && t.run == run
	t.tty, t.state, t.alone, t.look = p.TTY, p.State, p.Threads == 1, l.look
	if idle {
		return t, true, nil
	}
	t.decoded, t.children = false, t.children[:0]
	t.beganAfter, t.beganBefore = l.lastBegan, time.Time{}
	b, err := l.procfs.read(p.pid, tid, "children")
	if err != nil {
		return nil, false, err
	}
	t.run, t.slices = run, slices
	eachNumber(b, func(pid int) bool { t.children = append(t.children, pid); return true })
	return t, false, nil
}

// thread returns the cached thread of this id. If the last look has not found that thread, the id may
// have been reused, and thread returns a new one. If the id is reused between two looks, reading the
// cached thread fails, because its open files belong to the old thread.
func (l *Looker) thread(pid, tid int) *thread {
	t := l.seen[tid]
	if t != nil && t.pid == pid && t.look+1 >= l.look {
		return t
	}
	if t != nil {
		l.drop(t)
	}
	t = &thread{pid: pid, tid: tid, look: l.look}
	l.seen[tid] = t
	return t
}

// drop closes the files of a thread and removes it from the cache.
func (l *Looker) drop(t *thread) {
	l.procfs.close(&t.procStat)
	l.procfs.close(&t.taskStat)
	l.procfs.close(&t.schedstat)
	l.procfs.close(&t.syscall)
	delete(l.seen, t.tid)
}

// Close closes the files that the Looker keeps open. The next Look opens them again.
func (l *Looker) Close() {
	for _, t := range l.seen {
		l.drop(t)
	}
}

// listThreads fills l.tids with the threads of a process.
func (l *Looker) listThreads(pid int) error {
	l.tids = l.tids[:0]
	err := l.procfs.list(pid, "task", func(tid int) bool {
		l.tids = append(l.tids, tid)
		return len(l.tids) < maxThreads
	})
	if err == nil && len(l.tids) == maxThreads {
		return errMany
	}
	return err
}

// forget drops the cached threads that this look has not found.
func (l *Looker) forget() {
	if len(l.seen) <= l.count { // all were found
		return
	}
	for _, t := range l.seen {
		if t.look != l.look {
			l.drop(t)
		}
	}
}

// isGone reports whether an error means that a process or thread has ended.
func isGone(err error) bool { return err == unix.ENOENT || err == unix.ESRCH }

// gather appends the threads of the process group pgid to l.threads.
func (l *Looker) gather(pgid int) {
	for i := range l.procs {
		if l.procs[i].Group == pgid {
			l.threads = append(l.threads, l.procs[i].threads...)
		}
	}
}

// invalidate forgets the decoded waits of l.procs[at:] that may have changed, and those that were
// decoded for another terminal than d. A plain wait (see wait.plain) stays valid until its thread
// runs. A wait for descriptors stays valid only until any thread of the process runs, because any
// thread could change the descriptors.
func (l *Looker) invalidate(at int, d device) {
	for i := range l.procs[at:] {
		p := &l.procs[at+i]
		for _, t := range p.threads {
			t.decoded = t.decoded && (p.idle || t.wait.plain) && t.dev == d
		}
	}
}

// decodeThreads decodes what the threads wait for on terminal d, unless that was decoded and is still
// valid. A stopped thread waits for nothing. If the kernel hides a wait, the error is errHidden.
func (l *Looker) decodeThreads(threads []*thread, d device) error {
	for _, t := range threads {
		if isStopped(t.state) {
			t.wait, t.decoded = wait{masterFD: -1}, false
			continue
		}
		if t.decoded {
			continue
		}
		w, err := l.procfs.wait(t, d)
		if err != nil && !isGone(err) {
			return errHidden
		}
		t.wait, t.dev, t.decoded = w, d, err == nil && w.call
	}
	return nil
}
