package kernel

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// maxProcesses and maxThreads bound one look: a session with more of them is not
// examined.
const (
	maxProcesses = 1024
	maxThreads   = 2048
)

// errMany is returned where a limit above ends the walk.
var errMany = errors.New("too many processes")

// A proc is one process of the session.
type proc struct {
	pid int
	stat
	threads []*thread // live ones; nil for a zombie
	same    bool      // no thread has run since the last look
	kin     bool      // a descendant of the foreground group in another group
}

// A thread is kept from look to look: as long as the thread has not run, everything
// about it is still true.
type thread struct {
	pid, tid int
	tty      uint64 // controlling terminal of its process
	state    byte
	alone    bool // its process has no other thread
	run      uint64
	slices   uint64
	kids     []int  // processes that it has started
	wait     wait   // what it waits for
	decoded  bool   // wait is true as of run and slices
	dev      device // the terminal that wait is about
	look     uint64 // the last look that found it
	// The thread began its present activity between these looks; after is zero when
	// there was no look before, by is zero until the look is over.
	after, by time.Time

	// Of a process's first thread:
	fellows []*thread // all threads of the process; empty when they are not known

	procStat, taskStat, schedstat, syscall kept
}

// walk fills l.procs with root and all its descendants. It leaves out processes that end
// meanwhile.
func (l *Looker) walk(root int) error {
	l.procs, l.count, l.look = l.procs[:0], 0, l.look+1
	if err := l.visit(root); err != nil {
		return err
	}
	err := l.descend(0)
	l.before = l.began
	return err
}

// descend appends the descendants of the processes from index at on to l.procs.
func (l *Looker) descend(at int) error {
	for i := at; i < len(l.procs); i++ {
		for _, t := range l.procs[i].threads {
			for _, pid := range t.kids {
				if err := l.visit(pid); err != nil && !gone(err) {
					return err
				}
			}
		}
	}
	return nil
}

// visit appends one process to l.procs.
func (l *Looker) visit(pid int) error {
	if len(l.procs) == maxProcesses {
		return errMany
	}
	leader := l.thread(pid, pid)
	p := proc{pid: pid, same: true}
	var err error
	if p.stat, err = l.proc.stat(&leader.procStat, pid, 0); err != nil {
		return err
	}
	if l.rested(&p, leader) {
		l.procs = append(l.procs, p)
		return nil
	}
	p.threads, leader.fellows = leader.fellows[:0], nil
	if err := l.visitThreads(&p); err != nil {
		return err
	}
	leader.fellows = p.threads
	l.procs = append(l.procs, p)
	return nil
}

// rested reports whether no thread of p has run since the last look, and if so fills in
// the result of that look: only these threads could have changed it.
func (l *Looker) rested(p *proc, leader *thread) bool {
	if p.count != len(leader.fellows) || l.count+p.count > maxThreads || !l.still(leader.fellows) {
		return false
	}
	p.threads = leader.fellows
	for _, t := range p.threads {
		t.tty, t.state, t.look = p.tty, p.state, l.look
	}
	l.count += p.count
	return true
}

// still reports whether no thread has run since its schedstat was read.
func (l *Looker) still(threads []*thread) bool {
	for _, t := range threads {
		run, slices, err := l.proc.schedstat(&t.schedstat, t.pid, t.tid)
		if err != nil || run != t.run || slices != t.slices {
			return false
		}
	}
	return true
}

// visitThreads fills in the threads of a process.
func (l *Looker) visitThreads(p *proc) error {
	if p.state == 'X' || p.state == 'Z' && p.count <= 1 {
		return nil
	}
	l.tids = append(l.tids[:0], p.pid)
	if p.count > 1 {
		if err := l.listThreads(p.pid); err != nil {
			return err
		}
	}
	for _, tid := range l.tids {
		t, same, err := l.visitThread(p, tid)
		if gone(err) {
			p.same = false
			continue
		}
		if err != nil {
			return err
		}
		p.threads = append(p.threads, t)
		p.same = p.same && same
	}
	return nil
}

// visitThread reads a thread's schedstat and, when the thread has run since the last
// look, its children: the kernel lists children by the thread that started them.
func (l *Looker) visitThread(p *proc, tid int) (t *thread, same bool, err error) {
	if l.count == maxThreads {
		return nil, false, errMany
	}
	l.count++
	t = l.thread(p.pid, tid)
	run, slices, err := l.proc.schedstat(&t.schedstat, p.pid, tid)
	if err != nil {
		return nil, false, err
	}
	same = t.slices == slices && t.run == run
	t.tty, t.state, t.alone, t.look = p.tty, p.state, p.count == 1, l.look
	if same {
		return t, true, nil
	}
	t.decoded, t.kids = false, t.kids[:0]
	t.after, t.by = l.before, time.Time{}
	b, err := l.proc.read(p.pid, tid, "children")
	if err != nil {
		return nil, false, err
	}
	t.run, t.slices = run, slices
	numbers(b, func(pid int) bool { t.kids = append(t.kids, pid); return true })
	return t, false, nil
}

// thread returns the remembered thread of this id, or a new one. When a new process has
// taken the id of an old one, the open files still belong to the old one, and reading
// them fails.
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

// drop forgets a thread.
func (l *Looker) drop(t *thread) {
	l.proc.close(&t.procStat)
	l.proc.close(&t.taskStat)
	l.proc.close(&t.schedstat)
	l.proc.close(&t.syscall)
	delete(l.seen, t.tid)
}

// Close closes the files that the Looker keeps open. The Looker can still be used.
func (l *Looker) Close() {
	for _, t := range l.seen {
		l.drop(t)
	}
}

// listThreads fills l.tids with the threads of a process.
func (l *Looker) listThreads(pid int) error {
	l.tids = l.tids[:0]
	err := l.proc.list(pid, "task", func(tid int) bool {
		l.tids = append(l.tids, tid)
		return len(l.tids) < maxThreads
	})
	if err == nil && len(l.tids) == maxThreads {
		return errMany
	}
	return err
}

// forget drops the threads that were not found any more.
func (l *Looker) forget() {
	if len(l.seen) <= l.count {
		return
	}
	for _, t := range l.seen {
		if t.look != l.look {
			l.drop(t)
		}
	}
}

// gone reports whether an error means that a process or thread has ended.
func gone(err error) bool { return err == unix.ENOENT || err == unix.ESRCH }

// gather appends the threads of a group to l.threads.
func (l *Looker) gather(pgid int) {
	for i := range l.procs {
		if l.procs[i].pgrp == pgid {
			l.threads = append(l.threads, l.procs[i].threads...)
		}
	}
}

// decode finds out what the threads from index first on wait for on terminal d. A decoded
// wait stays valid as long as the thread has not run. A wait for descriptors also ends
// being valid when another thread of the process runs, which could change them.
func (l *Looker) decode(first int, d device) error {
	l.recall(0, d)
	return l.decodeThreads(l.threads[first:], d)
}

// recall forgets the decoded waits of the processes from index at on that may no longer
// be true.
func (l *Looker) recall(at int, d device) {
	for i := range l.procs[at:] {
		p := &l.procs[at+i]
		for _, t := range p.threads {
			t.decoded = t.decoded && (p.same || t.wait.plain) && t.dev == d
		}
	}
}

// decodeThreads decodes the waits of the threads whose wait is not known.
func (l *Looker) decodeThreads(threads []*thread, d device) error {
	for _, t := range threads {
		if isStopped(t.state) {
			t.wait, t.decoded = wait{masterFD: -1}, false
		}
		if t.decoded || isStopped(t.state) {
			continue
		}
		w, err := l.proc.wait(t, d)
		if err != nil && !gone(err) {
			return errHidden
		}
		t.wait, t.dev, t.decoded = w, d, err == nil && w.call
	}
	return nil
}
