package kernel

import (
	"errors"

	"golang.org/x/sys/unix"
)

// maxProcesses and maxThreads bound what one look walks over: a session with
// more descendants is not looked into.
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
}

// walk fills l.procs with root and all its descendants. Processes may come and
// go meanwhile: what has gone is left out.
func (l *Looker) walk(root int) error {
	l.procs = l.procs[:0]
	if err := l.visit(root); err != nil {
		return err
	}
	for i := 0; i < len(l.procs); i++ {
		if err := l.children(l.procs[i]); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// visit appends one process to l.procs.
func (l *Looker) visit(pid int) error {
	if len(l.procs) == maxProcesses {
		return errMany
	}
	st, err := l.proc.stat(pid, 0)
	if err != nil {
		return err
	}
	l.procs = append(l.procs, proc{pid, st})
	return nil
}

// children visits the children of one process: the kernel lists them by the
// thread that started them.
func (l *Looker) children(p proc) error {
	if p.state == 'Z' && p.threads <= 1 {
		return nil
	}
	l.tids = append(l.tids[:0], p.pid)
	if p.threads > 1 {
		if err := l.listThreads(p.pid); err != nil {
			return err
		}
	}
	l.pids = l.pids[:0]
	for _, tid := range l.tids {
		b, err := l.proc.read(p.pid, tid, "children")
		if err != nil && !(gone(err) && tid != p.pid) {
			return err
		}
		numbers(b, func(pid int) bool { l.pids = append(l.pids, pid); return true })
	}
	for _, pid := range l.pids {
		if err := l.visit(pid); err != nil && !gone(err) {
			return err
		}
	}
	return nil
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

// gone reports whether an error says that a process or thread has ended.
func gone(err error) bool { return err == unix.ENOENT || err == unix.ESRCH }

// A thread is one thread of the group looked at.
type thread struct {
	pid, tid int
	tty      uint64 // controlling terminal of its process
	state    byte
	run      uint64
	slices   uint64
	wait     wait
}

// gather fills l.threads with the live threads of the group.
func (l *Looker) gather(pgid int) error {
	for i := range l.procs {
		p := &l.procs[i]
		if p.pgrp != pgid || p.state == 'Z' && p.threads <= 1 || p.state == 'X' {
			continue
		}
		l.tids = append(l.tids[:0], p.pid)
		if p.threads > 1 {
			if err := l.listThreads(p.pid); err != nil && !gone(err) {
				return err
			}
		}
		for _, tid := range l.tids {
			if err := l.addThread(p, tid); err != nil && !gone(err) {
				return err
			}
		}
	}
	return nil
}

// addThread appends one thread with its figures.
func (l *Looker) addThread(p *proc, tid int) error {
	if len(l.threads) == maxThreads {
		return errMany
	}
	run, slices, err := l.proc.schedstat(p.pid, tid)
	if err != nil {
		return err
	}
	t := thread{pid: p.pid, tid: tid, tty: p.tty, state: p.state, run: run, slices: slices}
	if p.threads > 1 {
		st, err := l.proc.stat(p.pid, tid)
		if err != nil {
			return err
		}
		t.state = st.state
	}
	if t.state != 'Z' && t.state != 'X' {
		l.threads = append(l.threads, t)
	}
	return nil
}
