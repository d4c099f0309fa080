package kernel

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Looker takes looks at one terminal, or at one child on pipes. It keeps files of /proc open
// until Close. It is not safe for concurrent use.
type Looker struct {
	master syscall.RawConn // nil for a child on pipes
	output string          // the name of the pipe that a child on pipes writes to; empty on a terminal
	child  int             // the process that leads the session
	procfs procfs
	dev    device // the terminal, or the pipe that the child reads

	procs              []proc          // the session's processes
	count              int             // number of threads that the current look has visited
	seen               map[int]*thread // cached threads by id
	look               uint64          // the number of the current look
	threads            []*thread       // threads that relay terminals, then those of the innermost foreground group
	inner              int             // index at which the innermost group's threads begin
	descendants        []*thread       // of the innermost group's descendants in other groups
	descendantsDecoded bool            // it is known what each of descendants waits for
	relayBusy          bool            // a relay of a terminal does not wait for input
	outputLeft         bool            // a relayed terminal holds output
	modesHidden        bool            // the Modes of a relayed terminal are not known, see lookRelayed
	tids               []int           // the threads of the process that is being visited
	orphan             int             // the process that addOrphan has found; 0 if it has found none
	server             server          // the last server that addReaders has found
	began              time.Time       // start of the current look
	lastBegan          time.Time       // start of the last look whose walk succeeded
}

// maxNesting limits how many terminals inside the first one a look examines.
const maxNesting = 4

// NewLooker returns a Looker for the terminal with this master. Process child leads the
// terminal's session. NewLooker does not change the descriptor's blocking mode. It fails for a
// master that is closed or not a pseudo-terminal.
func NewLooker(master syscall.Conn, child int) (*Looker, error) {
	raw, err := master.SyscallConn()
	if err != nil {
		return nil, err
	}
	l := newLooker(child)
	l.master = raw
	var index int
	if cerr := raw.Control(func(fd uintptr) { index, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN) }); cerr != nil {
		return nil, cerr
	}
	if err != nil {
		return nil, err
	}
	l.dev = ptsDevice(index)
	return l, nil
}

// newLooker returns a Looker whose master and dev are not set yet.
func newLooker(child int) *Looker {
	l := &Looker{child: child, procfs: procfs{root: procRoot}, seen: map[int]*thread{}}
	l.procfs.inSession = func(pid int) bool { return l.process(pid) != nil }
	return l
}

// isDrained reports whether a master has nothing to read. poll(2) waits for output that
// is still inside the kernel (tty_buffer_flush_work), which FIONREAD misses.
func isDrained(fd int) bool {
	fds := [1]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds[:], 0)
	return err == nil && (n == 0 || fds[0].Revents&unix.POLLIN == 0)
}

// masterModes returns the Modes of the terminal with this master.
func masterModes(fd int) Modes {
	tio, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return Modes{}
	}
	return modesOf(tio)
}

// modes returns the terminal's Modes and its foreground process group. If there is no such group, or
// if the terminal does not answer, the group is 0. On pipes, the Modes are not known, and the child's
// group is the foreground group. A call takes a microsecond.
func (l *Looker) modes() (Modes, int) {
	if l.master == nil {
		return Modes{}, l.child
	}
	var m Modes
	var pgid int
	var err error
	cerr := l.master.Control(func(fd uintptr) {
		m = masterModes(int(fd))
		pgid, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP)
	})
	if cerr != nil || err != nil {
		return Modes{}, 0
	}
	return m, pgid
}

// drained reports whether the terminal holds no output or, on pipes, whether both pipes are empty.
func (l *Looker) drained() (drained bool) {
	if l.master == nil {
		// The result is false if the child has redirected its own input or output.
		return l.procfs.isEmpty(l.child, 0, l.dev.pipe) && l.procfs.isEmpty(l.child, 1, l.output)
	}
	err := l.master.Control(func(fd uintptr) { drained = isDrained(int(fd)) })
	return drained && err == nil
}

// Look takes one look. It does not wait for the child. If the look fails, View.Known is false.
func (l *Looker) Look() View {
	modes, pgid := l.modes()
	v := View{Modes: modes, Foreground: Process{PGID: pgid}}
	l.began = time.Now()
	defer l.forget()
	if pgid <= 0 { // a terminal without a session: its leader has ended
		v.Ended, v.Drained = modes.Known, l.drained()
		return v
	}
	if err := l.walk(l.child); err != nil {
		v.Ended, v.Drained = isGone(err), l.drained()
		return v
	}
	l.threads, l.inner = l.threads[:0], 0
	l.relayBusy, l.outputLeft, l.modesHidden = false, false, false
	err := l.group(&v, pgid, l.dev, 0)
	v.Drained = l.drained()
	v.Known, v.Ended = err == nil, err == errGone
	// The modes are read last. If fill finds that no thread has run, the modes have not changed
	// during the look either.
	modes, now := l.modes()
	if v.Nested == 0 {
		v.Modes = modes
	}
	if now != pgid {
		return v
	}
	if err != nil && !errors.Is(err, errHidden) {
		return v
	}
	v.Hidden = err != nil
	l.fill(&v)
	return v
}

// errHidden is returned for a group whose system calls the kernel hides from us.
var errHidden = errors.New("another user's process")

// errGone is returned when no thread of a group was found: the group has usually ended meanwhile.
var errGone = errors.New("no such group")

// group looks at the foreground group pgid of terminal d. If the group relays another terminal, it
// also looks at the foreground group of that terminal. depth counts the terminals around d.
func (l *Looker) group(v *View, pgid int, d device, depth int) error {
	first := len(l.threads)
	l.gather(pgid)
	if len(l.threads) == first {
		return errGone
	}
	l.setForeground(v, pgid)
	l.invalidate(0, d)
	if err := l.decodeThreads(l.threads[first:], d); err != nil {
		return err
	}
	l.gatherOutside(pgid, first, d)
	l.decodeDescendants(pgid, first, d)
	return l.lookInside(v, first, depth)
}
