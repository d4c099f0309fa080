package kernel

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// kind is what a descriptor leads to, as far as it matters here.
type kind uint8

const (
	kindOther    kind = iota
	kindTerminal      // the terminal looked at
	kindMaster        // a pseudo-terminal master: the process relays a terminal
	kindEpoll         // an epoll set
	kindWakeup        // eventfd, signalfd: only threads of the process and signals end the wait
	kindTimer         // timerfd
	kindPipe          // pipe or FIFO
	kindSocket        // socket
)

// A device is a terminal as a descriptor of a process may lead to it. The same
// number may exist in the devpts of a container, so the file system counts.
type device struct {
	rdev uint64 // device number of the slave
	fs   uint64 // its devpts; 0 when not known
}

// ptsMajor and ttyDev are device numbers from Documentation/admin-guide/devices.txt.
const ptsMajor = 136

func ttyDev() uint64  { return unix.Mkdev(5, 0) }
func ptmxDev() uint64 { return unix.Mkdev(5, 2) }

// ptsDevice returns the device of the slave with this index.
func ptsDevice(index int) device {
	d := device{rdev: unix.Mkdev(ptsMajor, uint32(index))}
	var st unix.Stat_t
	if unix.Stat("/dev/pts/"+strconv.Itoa(index), &st) == nil && uint64(st.Rdev) == d.rdev {
		d.fs = uint64(st.Dev)
	}
	return d
}

// kind says what descriptor fd of process pid, whose controlling terminal is
// tty, leads to. The name is read first: following a link to a file on a dead
// network file system could hang.
func (p *procfs) kind(pid, fd int, tty uint64, d device) (kind, error) {
	path := p.file(pid, 0, "fd/"+strconv.Itoa(fd))
	var buf [256]byte
	n, err := unix.Readlink(path, buf[:])
	if err != nil {
		return kindOther, err
	}
	name := buf[:n]
	for _, k := range anonKinds {
		if bytes.HasPrefix(name, []byte(k.prefix)) {
			return k.kind, nil
		}
	}
	if !maybeTerminal(name) {
		return kindOther, nil
	}
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return kindOther, err
	}
	return charKind(&st, tty, d), nil
}

// anonKinds maps how names of descriptors without a path begin (proc_pid_fd(5)).
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

// maybeTerminal reports whether a path can be that of a terminal: in containers
// it is seen from elsewhere, so only its end counts.
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

// charKind tells the terminals apart by their device numbers. /dev/tty is the
// controlling terminal of whoever opened it.
func charKind(st *unix.Stat_t, tty uint64, d device) kind {
	if st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return kindOther
	}
	switch rdev := uint64(st.Rdev); {
	case rdev == d.rdev && (d.fs == 0 || uint64(st.Dev) == d.fs):
		return kindTerminal
	case rdev == ttyDev() && tty == d.rdev:
		return kindTerminal
	case rdev == ptmxDev():
		return kindMaster
	}
	return kindOther
}

// field returns the number after a name at the start of a line of fdinfo.
func (p *procfs) fdinfo(pid, fd int) ([]byte, error) {
	return p.read(pid, 0, "fdinfo/"+strconv.Itoa(fd))
}

// slaveIndex returns the index of the slave that belongs to a master.
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

// armed reports whether a timerfd will fire: its it_value is not zero.
func (p *procfs) armed(pid, fd int) bool {
	b, err := p.fdinfo(pid, fd)
	if err != nil {
		return true
	}
	_, b, ok := bytes.Cut(b, []byte("it_value: ("))
	return !ok || !bytes.HasPrefix(b, []byte("0, 0)"))
}
