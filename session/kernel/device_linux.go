package kernel

import (
	"bytes"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// kind classifies the file behind a descriptor.
type kind uint8

const (
	kindOther    kind = iota
	kindTerminal      // the terminal that the Looker examines
	kindMaster        // a pseudo-terminal master: the process relays a terminal
	kindEpoll         // an epoll set
	kindWakeup        // eventfd, signalfd, own pipe or socket pair: only the process itself and signals can end the wait
	kindTimer         // timerfd
	kindPipe          // pipe or FIFO
	kindSocket        // socket
)

// A device identifies a terminal, or the pipe in place of a terminal. A container's devpts may have
// a terminal of the same number, so the file system is compared too.
type device struct {
	rdev uint64 // device number of the slave; 0 for a pipe
	fs   uint64 // device number of the slave's file system (devpts); 0 if not known
	pipe string // the name of the pipe that replaces the terminal; empty for a terminal
}

// ptsMajor is the major device number of slaves (Documentation/admin-guide/devices.txt).
const ptsMajor = 136

// ptsDevice returns the device of the slave with this index.
func ptsDevice(index int) device {
	d := device{rdev: unix.Mkdev(ptsMajor, uint32(index))}
	var st unix.Stat_t
	if unix.Stat("/dev/pts/"+strconv.Itoa(index), &st) == nil && uint64(st.Rdev) == d.rdev {
		d.fs = uint64(st.Dev)
	}
	return d
}

// kind returns the kind of file behind descriptor fd of process pid, whose controlling terminal is
// tty. It returns kindTerminal only for terminal d. It reads the file's name first, because a stat of
// a file on a dead network file system could hang.
func (p *procfs) kind(pid, fd int, tty uint64, d device) (kind, error) {
	name := p.link(pid, fd)
	if name == nil {
		return kindOther, unix.EBADF
	}
	if d.pipe != "" && string(name) == d.pipe {
		return kindTerminal, nil
	}
	for _, k := range anonKinds {
		if bytes.HasPrefix(name, []byte(k.prefix)) {
			return k.kind, nil
		}
	}
	if !maybeTerminal(name) {
		return kindOther, nil
	}
	var st unix.Stat_t
	if err := unix.Stat(p.file(pid, 0, "fd/"+strconv.Itoa(fd)), &st); err != nil {
		return kindOther, err
	}
	return charKind(&st, tty, d), nil
}

// anonKinds maps prefixes of the names of descriptors without a path (proc_pid_fd(5)).
var anonKinds = [...]struct {
	prefix string
	kind   kind
}{
	{"anon_inode:[eventpoll]", kindEpoll},
	{"anon_inode:[eventfd]", kindWakeup},
	{"anon_inode:[signalfd]", kindWakeup},
	{"anon_inode:[timerfd]", kindTimer},
	{"pipe:", kindPipe},
	{"socket:", kindSocket},
}

// maybeTerminal reports whether a path can be that of a terminal. Only the last element counts,
// because a container may have its terminals in other directories.
func maybeTerminal(name []byte) bool {
	last := name[bytes.LastIndexByte(name, '/')+1:]
	switch string(last) {
	case "tty", "console", "ptmx":
		return true
	}
	if len(last) == 0 {
		return false
	}
	for _, c := range last {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// charKind distinguishes terminals by their device numbers. /dev/tty (5, 0) is the
// controlling terminal of the process that opened it; /dev/ptmx is (5, 2).
func charKind(st *unix.Stat_t, tty uint64, d device) kind {
	if st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return kindOther
	}
	switch rdev := uint64(st.Rdev); {
	case rdev == d.rdev && (d.fs == 0 || uint64(st.Dev) == d.fs):
		return kindTerminal
	case rdev == unix.Mkdev(5, 0) && tty == d.rdev:
		return kindTerminal
	case rdev == unix.Mkdev(5, 2):
		return kindMaster
	}
	return kindOther
}

// maxSearched limits the descriptors among which hasOther searches for a pipe's other end, and the
// orphans among which addOrphan searches for a server.
const maxSearched = 256

// ownPipe reports whether a process holds both ends of the pipe at fd. Through such a pipe, a signal
// handler or another thread wakes the process. A pipe to a child does not count: the process has
// closed its copy of the child's end, because otherwise it would not notice when the child closes
// that end.
func (p *procfs) ownPipe(pid, fd int) bool {
	pipe := string(p.link(pid, fd))
	mode, ok := p.mode(pid, fd)
	return ok && p.hasOther(pid, fd, func(other int) bool {
		if string(p.link(pid, other)) != pipe {
			return false
		}
		m, ok := p.mode(pid, other)
		return ok && m != mode
	})
}

// ownPair reports whether a process holds both sockets of the pair (socketpair(2)) to which fd
// belongs, as asyncio and tokio do to wake themselves. The inode numbers of a pair are consecutive.
// If a pair leads to a child, the process has closed one of its sockets.
func (p *procfs) ownPair(pid, fd int) bool {
	inode, ok := p.socket(pid, fd)
	return ok && ownsPair(pid, fd) && p.hasOther(pid, fd, func(other int) bool {
		n, ok := p.socket(pid, other)
		return ok && (n == inode+1 || n+1 == inode) && ownsPair(pid, other)
	})
}

// hasOther reports whether a process has a descriptor other than fd for which otherEnd returns true.
// It tries fd+1 and fd-1 first, since the two ends usually have consecutive numbers. Then it tries
// at most maxSearched descriptors.
func (p *procfs) hasOther(pid, fd int, otherEnd func(other int) bool) bool {
	if otherEnd(fd+1) || otherEnd(fd-1) {
		return true
	}
	held, left := false, maxSearched
	err := p.list(pid, "fd", func(other int) bool {
		left--
		held = other != fd && otherEnd(other)
		return !held && left > 0
	})
	return held && err == nil
}

// link returns the name of the file behind a descriptor, valid until the next call. It returns nil
// if the descriptor is not open.
func (p *procfs) link(pid, fd int) []byte {
	n, err := unix.Readlink(p.file(pid, 0, "fd/"+strconv.Itoa(fd)), p.linkBuf[:])
	if err != nil {
		return nil
	}
	return p.linkBuf[:n]
}

// socket returns the inode number of the socket behind a descriptor.
func (p *procfs) socket(pid, fd int) (inode int64, ok bool) {
	number, ok := bytes.CutPrefix(p.link(pid, fd), []byte("socket:["))
	if !ok {
		return 0, false
	}
	inode, _, ok = nextInt(number)
	return inode, ok
}

// ownsPair reports whether process pid has itself made the socket pair of which fd is one end.
func ownsPair(pid, fd int) bool {
	peer, ok := socketPeer(pid, fd)
	return ok && peer == pid
}

// mode returns the access mode of an open descriptor, such as O_RDONLY.
func (p *procfs) mode(pid, fd int) (mode int, ok bool) {
	b, err := p.fdinfo(pid, fd)
	if err != nil {
		return 0, false
	}
	_, b, ok = bytes.Cut(b, []byte("flags:"))
	flags, _, ok2 := nextUint(b, 8)
	return int(flags) & unix.O_ACCMODE, ok && ok2
}

// fdinfo returns the kernel's description of an open descriptor (proc_pid_fdinfo(5)).
func (p *procfs) fdinfo(pid, fd int) ([]byte, error) {
	return p.read(pid, 0, "fdinfo/"+strconv.Itoa(fd))
}

// slaveIndex returns the index of the slave of the master behind a descriptor, N of /dev/pts/N.
func (p *procfs) slaveIndex(pid, fd int) (int, bool) {
	b, err := p.fdinfo(pid, fd)
	if err != nil {
		return 0, false
	}
	_, b, ok := bytes.Cut(b, []byte("tty-index:"))
	if !ok {
		return 0, false
	}
	n, _, ok := nextInt(b)
	return int(n), ok && n >= 0
}

// timerLeft returns the time until a timerfd fires, or 0 if it will not fire. It reads the seconds and
// nanoseconds in the line "it_value: (1, 500000000)" of the fdinfo.
func (p *procfs) timerLeft(pid, fd int) (left time.Duration, ok bool) {
	b, err := p.fdinfo(pid, fd)
	if err != nil {
		return 0, false
	}
	_, b, ok = bytes.Cut(b, []byte("it_value: ("))
	sec, b, ok1 := nextInt(b)
	nsec, _, ok2 := nextInt(bytes.TrimPrefix(b, []byte(",")))
	return time.Duration(sec)*time.Second + time.Duration(nsec), ok && ok1 && ok2
}
