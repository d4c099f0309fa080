package kernel

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// procfs reads /proc. It reuses its buffers, so the next call overwrites the result of
// this one. It is not safe for concurrent use.
type procfs struct {
	root      string             // procRoot, or another directory in tests
	path      []byte             // result of file
	buf       [maxProcFile]byte  // result of readFD
	linkBuf   [256]byte          // result of link
	setBuf    []byte             // an epoll set while its descriptors are decoded
	mem       []byte             // result of memory
	open      int                // number of files kept open
	inSession func(pid int) bool // reports whether a process belongs to the session
}

// procRoot is the mount point of /proc.
const procRoot = "/proc"

// maxProcFile limits the bytes read from one file of /proc. It is enough for an epoll set
// of about 300 descriptors, or a list of about 2,000 children.
const maxProcFile = 16 << 10

// shortFile is the size below which one read returns a whole file of /proc: the kernel
// returns at least a page if the file has that much.
const shortFile = 2 << 10

// maxKept limits the files that a Looker keeps open. Files beyond this number are opened for each
// look.
const maxKept = 256

// errUnexpected is returned for a file of /proc whose content is malformed, or has maxProcFile bytes
// or more.
var errUnexpected = errors.New("unexpected content")

// file returns the path of a file of process pid, or of its thread tid if tid is not 0.
func (p *procfs) file(pid, tid int, name string) string {
	b := append(p.path[:0], p.root...)
	b = strconv.AppendInt(append(b, '/'), int64(pid), 10)
	if tid != 0 {
		b = strconv.AppendInt(append(b, "/task/"...), int64(tid), 10)
	}
	p.path = append(append(b, '/'), name...)
	return string(p.path)
}

// read returns the content of a file, valid until the next read.
func (p *procfs) read(pid, tid int, name string) ([]byte, error) {
	fd, err := unix.Open(p.file(pid, tid, name), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return p.readFD(fd)
}

// readFD returns the content of an open file, valid until the next read.
func (p *procfs) readFD(fd int) ([]byte, error) {
	n := 0
	for n < len(p.buf) {
		m, err := unix.Pread(fd, p.buf[n:], int64(n))
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		n += m
		if m == 0 || n < shortFile {
			return p.buf[:n], nil // one read returns a whole short file
		}
	}
	return nil, errUnexpected
}

// A keptFile is a file of /proc that stays open between looks, since opening costs more than
// reading. The zero value is not open.
type keptFile struct{ fd int } // the descriptor plus 1

// readKept returns the content of a file, valid until the next read. It opens the file if it is
// not open, and keeps it open unless maxKept files are open.
func (p *procfs) readKept(k *keptFile, pid, tid int, name string) ([]byte, error) {
	if k.fd == 0 {
		if p.open >= maxKept {
			return p.read(pid, tid, name)
		}
		fd, err := unix.Open(p.file(pid, tid, name), unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		k.fd = fd + 1
		p.open++
	}
	return p.readFD(k.fd - 1)
}

// close closes a file that may be open.
func (p *procfs) close(k *keptFile) {
	if k.fd != 0 {
		unix.Close(k.fd - 1)
		k.fd = 0
		p.open--
	}
}

// A Stat holds fields of a process's or thread's stat file (proc_pid_stat(5)).
type Stat struct {
	Comm       string // the name
	State      byte   // R, S, D, T, Z …
	Parent     int
	Group      int // process group
	Session    int
	TTY        uint64        // device number of the controlling terminal
	Foreground int           // foreground group of that terminal
	Threads    int           // number of threads
	CPU        time.Duration // of the process and of the children for which it has waited
	Started    int64         // time of the start, in clock ticks since the start of the system
	Resident   int64         // bytes in memory
}

// clockTick is the unit of times in stat files: 1/USER_HZ, and USER_HZ is 100 on all systems that
// we build for.
const clockTick = 10 * time.Millisecond

// stat reads the stat file of a process, or of its thread tid if tid is not 0.
func (p *procfs) stat(k *keptFile, pid, tid int) (Stat, error) {
	b, err := p.readKept(k, pid, tid, "stat")
	if err != nil {
		return Stat{}, err
	}
	return ParseStat(b)
}

// ParseStat reads the text of a stat file. The command name is in parentheses. The name may contain
// blanks and parentheses itself, so it ends at the last closing parenthesis.
func ParseStat(b []byte) (Stat, error) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open || end+4 > len(b) {
		return Stat{}, errUnexpected
	}
	var field [25]int64 // by their numbers in proc_pid_stat(5)
	rest, ok := b[end+3:], true
	for n := 4; n < len(field); n++ {
		if field[n], rest, ok = nextInt(rest); !ok {
			return Stat{}, errUnexpected
		}
	}
	return Stat{
		Comm: string(b[open+1 : end]), State: b[end+2],
		Parent: int(field[4]), Group: int(field[5]), Session: int(field[6]),
		TTY: decodeDev(uint32(field[7])), Foreground: int(field[8]), Threads: int(field[20]),
		CPU:     time.Duration(field[14]+field[15]+field[16]+field[17]) * clockTick,
		Started: field[22], Resident: field[24] * int64(os.Getpagesize()),
	}, nil
}

// decodeDev turns the device number in a stat file, which has 32 bits (new_encode_dev), into the
// device number that stat(2) returns.
func decodeDev(d uint32) uint64 {
	return unix.Mkdev(d>>8&0xfff, d&0xff|d>>12&0xfff00)
}

// schedstat reads a thread's time on a processor, in nanoseconds, and the number of its time
// slices. Zero slices are an error: a live thread has had some, so the kernel does not count slices.
func (p *procfs) schedstat(k *keptFile, pid, tid int) (run, slices uint64, err error) {
	b, err := p.readKept(k, pid, tid, "schedstat")
	if err != nil {
		return 0, 0, err
	}
	r, b, ok1 := nextInt(b)
	_, b, ok2 := nextInt(b)
	n, _, ok3 := nextInt(b)
	if !ok1 || !ok2 || !ok3 || n <= 0 {
		return 0, 0, errUnexpected
	}
	return uint64(r), uint64(n), nil
}

// A call is the parsed syscall file of a thread.
type call struct {
	nr      int // number of the system call; -1 for a thread that is blocked outside of a call
	args    [6]uint64
	sp      uint64 // stack pointer: it has one value for each point at which the program waits
	running bool   // the thread runs or is runnable
}

// call reads the system call in which a thread sleeps. For a thread that is blocked outside of a
// call (stopped, page fault), call.nr is -1.
func (p *procfs) call(k *keptFile, pid, tid int) (call, error) {
	b, err := p.readKept(k, pid, tid, "syscall")
	if err != nil {
		return call{}, err
	}
	return parseCall(b)
}

// asleep reports whether a thread sleeps in a system call. It costs half as much as stat, but
// also returns true while the thread waits for a disk.
func (p *procfs) asleep(k *keptFile, pid, tid int) bool {
	b, err := p.readKept(k, pid, tid, "syscall")
	return err == nil && len(b) > 0 && isDigit(b[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseCall reads a syscall file (proc_pid_syscall(5)).
func parseCall(b []byte) (call, error) {
	if bytes.HasPrefix(b, []byte("running")) {
		return call{running: true}, nil
	}
	nr, b, ok := nextInt(b)
	if !ok {
		return call{}, errUnexpected
	}
	c := call{nr: int(nr)}
	if nr < 0 {
		return c, nil
	}
	for i := range c.args {
		if c.args[i], b, ok = nextUint(b, 0); !ok {
			return call{}, errUnexpected
		}
	}
	c.sp, _, _ = nextUint(b, 0)
	return c, nil
}

// eachNumber calls f with each decimal number at the beginning of b, until f returns false.
func eachNumber(b []byte, f func(int) bool) {
	for {
		n, rest, ok := nextInt(b)
		if !ok || !f(int(n)) {
			return
		}
		b = rest
	}
}

// nextInt reads the next decimal number.
func nextInt(b []byte) (n int64, rest []byte, ok bool) {
	word, rest := nextWord(b)
	n, err := strconv.ParseInt(string(word), 10, 64)
	return n, rest, err == nil
}

// nextUint reads the next number in a base. If base is 0, a prefix such as 0x sets the base.
func nextUint(b []byte, base int) (n uint64, rest []byte, ok bool) {
	word, rest := nextWord(b)
	n, err := strconv.ParseUint(string(word), base, 64)
	return n, rest, err == nil
}

// nextWord skips blanks and returns the lower-case letters, digits and minus signs that follow.
func nextWord(b []byte) (word, rest []byte) {
	b = bytes.TrimLeft(b, " \t\n")
	n := 0
	for n < len(b) && (isDigit(b[n]) || b[n] >= 'a' && b[n] <= 'z' || b[n] == '-') {
		n++
	}
	return b[:n], b[n:]
}

// list calls f with each number that is the name of an entry of directory name ("task", "fd") of
// process pid, until f returns false. It reads the directory in pieces of maxProcFile bytes.
func (p *procfs) list(pid int, name string, f func(int) bool) error {
	fd, err := unix.Open(p.file(pid, 0, name), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var names []string
	for {
		n, err := unix.ReadDirent(fd, p.buf[:])
		if err != nil {
			return err
		}
		if n <= 0 {
			return nil
		}
		_, _, names = unix.ParseDirent(p.buf[:n], -1, names[:0])
		for _, s := range names {
			if i, err := strconv.Atoi(s); err == nil && !f(i) {
				return nil
			}
		}
	}
}
