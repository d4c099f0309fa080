package kernel

import (
	"time"

	"golang.org/x/sys/unix"
)

// gatherDescendants fills l.descendants with the threads of the group's descendants in other
// groups, such as an editor's language servers.
func (l *Looker) gatherDescendants(pgid int) {
	l.descendants = l.descendants[:0]
	for i := range l.procs { // parents come before their children
		p := &l.procs[i]
		p.descends = false
		for j := range l.procs[:i] {
			if parent := &l.procs[j]; parent.pid == p.Parent {
				p.descends = p.Group != pgid && (parent.Group == pgid || parent.descends)
				break
			}
		}
		if p.descends {
			l.descendants = append(l.descendants, p.threads...)
		}
	}
}

// gatherOutside looks for processes outside of the terminal's session that read the terminal instead
// of the group, and adds their threads to l.threads. Such a process is a descendant that job control
// does not stop, such as a shell started by setsid or a container's runner, or a server to which the
// group has passed its terminal, as tmux's client does. If a thread of the group runs or waits for the
// terminal, gatherOutside does nothing.
func (l *Looker) gatherOutside(pgid, first int, d device) {
	group := l.threads[first:]
	for _, t := range group {
		if t.wait.how != HowNone || !t.wait.call {
			return
		}
	}
	l.gatherDescendants(pgid)
	var outside []*thread
	for i := range l.procs {
		if p := &l.procs[i]; p.descends && p.TTY != d.rdev {
			outside = append(outside, p.threads...)
		}
	}
	if l.addReaders(outside, d) {
		return
	}
	for _, t := range group {
		if t.wait.peer != 0 && l.addServer(t.wait.peer, 0, d) || t.wait.shared && l.addOrphan(d) {
			return
		}
	}
}

// addOrphan calls addServer for the orphans of the session, and reports whether one was added. The
// session's orphans are children of the process that started the session. Orphans with a controlling
// terminal are left out, because a server has none.
func (l *Looker) addOrphan(d device) bool {
	parent := l.procs[0].Parent
	if l.orphan != 0 && l.addServer(l.orphan, parent, d) {
		return true
	}
	l.orphan = 0
	return parent > 0 && l.procfs.list(parent, "task", func(tid int) bool {
		b, err := l.procfs.read(parent, tid, "children")
		if err != nil {
			return true
		}
		var pids []int
		eachNumber(b, func(pid int) bool { pids = append(pids, pid); return len(pids) < maxSearched })
		for _, pid := range pids {
			var once keptFile
			st, err := l.procfs.stat(&once, pid, 0)
			l.procfs.close(&once)
			if err == nil && st.TTY == 0 && pid != l.child && l.addServer(pid, parent, d) {
				l.orphan = pid
			}
		}
		return l.orphan == 0
	}) == nil && l.orphan != 0
}

// addServer adds the threads of a process outside of the session to l.threads, and the process and its
// descendants to l.procs, if addReaders accepts the threads. If parent is not 0, the process must be a
// child of parent.
func (l *Looker) addServer(pid, parent int, d device) bool {
	at := len(l.procs)
	if l.visit(pid) != nil {
		return false
	}
	l.invalidate(at, d)
	if p := &l.procs[at]; parent != 0 && p.Parent != parent || !l.addReaders(p.threads, d) {
		l.procs = l.procs[:at]
		return false
	}
	return l.descend(at) == nil
}

// A server is a process outside of the terminal's session that reads the terminal.
type server struct {
	pid      int
	terminal device
}

// addReaders adds the threads of a process to l.threads if one of them waits to read the terminal, or
// if the process was the last one found to do so: it is probably working for the terminal now.
func (l *Looker) addReaders(threads []*thread, d device) bool {
	if l.decodeThreads(threads, d) != nil {
		return false
	}
	for _, t := range threads {
		if t.wait.how != HowNone {
			l.server = server{t.pid, d}
			break
		}
	}
	for _, t := range threads {
		if l.server == (server{t.pid, d}) {
			l.threads = append(l.threads, threads...)
			return true
		}
	}
	return false
}

// waitsForMore reports whether a thread in l.threads[first:] that waits for the terminal also waits
// for something else in the same call, or has a time limit for the wait.
func (l *Looker) waitsForMore(first int) bool {
	for _, t := range l.threads[first:] {
		if t.wait.how != HowNone && (t.wait.others || t.wait.wakeups || t.wait.timed) {
			return true
		}
	}
	return false
}

// decodeDescendants decodes what the group's descendants in other groups wait for, if the View's
// Place needs that. After an error, the View has no Place, but is still correct.
func (l *Looker) decodeDescendants(pgid, first int, d device) {
	l.descendants, l.descendantsDecoded = l.descendants[:0], false
	if !l.waitsForMore(first) {
		return
	}
	l.gatherDescendants(pgid)
	l.descendantsDecoded = l.decodeThreads(l.descendants, d) == nil
}

// place returns the View's Place and WakesAfter for the gathered threads. waiter is the thread that
// waits for the terminal. Both results are 0 if Place is not known, or while another thread wakes up
// all the time. Go's runtime has such a thread: whatever the program does, it waits at one point.
func (l *Looker) place(waiter *thread) (place uint64, wakes time.Duration) {
	if !l.descendantsDecoded || !l.unchanged(l.descendants) {
		return 0, 0
	}
	for _, threads := range [2][]*thread{l.threads[l.inner:], l.descendants} {
		for _, t := range threads {
			w := &t.wait
			if !w.call || w.outside || w.masterFD >= 0 {
				return 0, 0
			}
			place += mix(w.set ^ mix(w.sp))
			if w.timed && w.timeout > 0 && w.timeout < MinPause && t != waiter {
				return 0, 0
			}
			if w.timed && w.timeout >= MinPause && (wakes == 0 || w.timeout < wakes) {
				wakes = w.timeout
			}
		}
	}
	return place, wakes
}

// socketPeer returns the process at the other end of a local socket. For a socket pair, peer is the
// process that made the pair; for a socket that waits for connections, it is 0.
func socketPeer(pid, fd int) (peer int, ok bool) {
	sock, err := copyDescriptor(pid, fd)
	if err != nil {
		return 0, false
	}
	defer unix.Close(sock)
	if n, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_ACCEPTCONN); err == nil && n != 0 {
		return 0, true
	}
	if domain, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_DOMAIN); err != nil || domain != unix.AF_UNIX {
		return 0, false
	}
	cred, err := unix.GetsockoptUcred(sock, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return int(cred.Pid), err == nil && cred.Pid > 0
}
