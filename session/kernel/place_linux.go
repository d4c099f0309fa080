package kernel

import (
	"time"

	"golang.org/x/sys/unix"
)

// gatherKin fills l.kin with the threads of the descendants that the group pgid
// has in other groups, as an editor its helpers: what they do belongs to what
// the group does.
func (l *Looker) gatherKin(pgid int) {
	l.kin = l.kin[:0]
	for i := range l.procs { // parents come before their children
		p := &l.procs[i]
		p.kin = false
		for j := range l.procs[:i] {
			if parent := &l.procs[j]; parent.pid == p.ppid {
				p.kin = p.pgrp != pgid && (parent.pgrp == pgid || parent.kin)
				break
			}
		}
		if p.kin {
			l.kin = append(l.kin, p.threads...)
		}
	}
}

// gatherOutside adds to l.threads those of the group's descendants that have left
// the terminal's session, where the group itself does not read the terminal and
// they do, as a shell behind setsid or a container's runner: no job control keeps
// them from it.
func (l *Looker) gatherOutside(pgid, first int, d device) {
	for _, t := range l.threads[first:] {
		if t.wait.how != HowNone || !t.wait.call {
			return
		}
	}
	l.gatherKin(pgid)
	var outside []*thread
	for i := range l.procs {
		if p := &l.procs[i]; p.kin && p.tty != d.rdev {
			outside = append(outside, p.threads...)
		}
	}
	if l.decodeThreads(outside, d) != nil {
		return
	}
	for _, t := range outside {
		if t.wait.how != HowNone {
			l.threads = append(l.threads, outside...)
			return
		}
	}
}

// waitsBeside reports whether a thread of the group waits for the terminal and
// for something else, or some time, in the same call.
func (l *Looker) waitsBeside(first int) bool {
	for _, t := range l.threads[first:] {
		if t.wait.how != HowNone && (t.wait.others || t.wait.wakeups || t.wait.timed) {
			return true
		}
	}
	return false
}

// placeKin finds out what the group's descendants in other groups wait for, when
// the View's Place will want to know. Without its place a View is still right.
func (l *Looker) placeKin(pgid, first int, d device) {
	l.kin, l.placed = l.kin[:0], false
	if !l.waitsBeside(first) {
		return
	}
	l.gatherKin(pgid)
	l.placed = l.decodeThreads(l.kin, d) == nil
}

// place returns what View's Place and Wakes say of the threads gathered.
func (l *Looker) place() (place uint64, wakes time.Duration) {
	if !l.placed || !l.unchanged(l.kin) {
		return 0, 0
	}
	for _, threads := range [2][]*thread{l.threads[l.inner:], l.kin} {
		for _, t := range threads {
			w := &t.wait
			if !w.call || w.outside || w.masterFD >= 0 {
				return 0, 0
			}
			place += mix(w.set ^ mix(w.sp))
			if w.timed && w.timeout >= MinPause && (wakes == 0 || w.timeout < wakes) {
				wakes = w.timeout
			}
		}
	}
	return place, wakes
}

// inside reports whether a socket leads to nobody outside of the session: it
// waits for connections, or connects two of the session's processes, whose
// threads are looked at too.
func (p *procfs) inside(pid, fd int) bool {
	sock, err := borrow(pid, fd)
	if err != nil {
		return false
	}
	defer unix.Close(sock)
	if n, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err == nil && n != 0 {
		return true
	}
	if domain, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_UNIX {
		return false
	}
	// A pair (socketpair) names who made it on both sides.
	peer, err := unix.GetsockoptUcred(sock, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && p.ours(int(peer.Pid))
}

// ours reports whether the walk has found a process.
func (l *Looker) ours(pid int) bool {
	for i := range l.procs {
		if l.procs[i].pid == pid {
			return true
		}
	}
	return false
}
