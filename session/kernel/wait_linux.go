package kernel

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// maxDescriptors limits the descriptors of one poll or select. A call with more is not decoded.
const maxDescriptors = 1024

// A wait describes what a sleeping thread waits for.
type wait struct {
	call     bool          // the thread is blocked, usually in a system call
	how      How           // the kind of call if input on the terminal ends the wait, otherwise HowNone
	timed    bool          // a timeout or a timerfd can end the wait
	timeout  time.Duration // if timed: the length of the wait; 0 if not known
	ends     time.Time     // if timed: the end of the wait; zero if not known
	pipe     bool          // the other end of a pipe can end the wait
	wakeups  bool          // the process itself can end the wait
	others   bool          // something other than the terminal and wakeups can end the wait
	class    Others        // class of the wait, for a thread that does not wait for the terminal
	outside  bool          // something outside of the session can end the wait
	masterFD int           // a pseudo-terminal master that the thread waits to read, or -1
	masters  int           // number of masters that the thread waits to read
	peer     int           // a process outside of the session at the other end of a socket, or 0
	shared   bool          // the process has made a socket pair and passed one end to another process
	set      uint64        // digest of the call and its descriptors
	sp       uint64        // stack pointer in the call
	plain    bool          // the thread waits for a lock, a child, a signal or time only
}

// A waitDecoder decodes one wait.
type waitDecoder struct {
	proc *procfs
	pid  int
	tty  uint64 // controlling terminal of the process
	dev  device // the terminal that counts as kindTerminal
	wait
}

// wait reads what a thread waits for. An error means that the thread has ended, or that the kernel
// hides the wait.
func (p *procfs) wait(t *thread, d device) (wait, error) {
	c, err := p.call(&t.syscall, t.pid, t.tid)
	if err != nil || c.running {
		return wait{masterFD: -1}, err
	}
	w := waitDecoder{proc: p, pid: t.pid, tty: t.tty, dev: d}
	w.wait = wait{call: true, masterFD: -1, set: mix(uint64(c.nr)), sp: c.sp}
	if c.nr == unix.SYS_RESTART_SYSCALL {
		w.decodeRestarted(t.tid, &c)
	}
	w.decode(c)
	return w.wait, nil
}

// decodeRestarted puts the number of the interrupted call into c. After SIGSTOP and SIGCONT, poll
// and nanosleep continue as restart_syscall with the same arguments. The name of the kernel function
// in which the thread sleeps (wchan) shows which call was interrupted.
func (w *waitDecoder) decodeRestarted(tid int, c *call) {
	b, err := w.proc.read(w.pid, tid, "wchan")
	switch {
	case err != nil:
	case bytes.Contains(b, []byte("poll")):
		c.nr = sysPoll
		if sysPoll < 0 {
			c.nr = unix.SYS_PPOLL
		}
	case bytes.Contains(b, []byte("nanosleep")):
		c.nr = unix.SYS_NANOSLEEP
	case bytes.Contains(b, []byte("futex")):
		c.nr = unix.SYS_FUTEX
	}
	w.set = mix(uint64(c.nr))
}

// decode reads the arguments of a system call. A call that it does not know counts as OthersEvents.
func (w *waitDecoder) decode(c call) {
	a := c.args
	switch c.nr {
	case unix.SYS_READ, unix.SYS_READV:
		w.descriptor(int(int32(a[0])), true, 0)
		w.how = min(w.how, HowRead)
	case unix.SYS_WRITE, unix.SYS_WRITEV:
		k, _ := w.proc.kind(w.pid, int(int32(a[0])), w.tty, w.dev)
		w.outside = k == kindSocket
		w.countKind(k)
	case sysPoll:
		w.millis(a[2])
		w.poll(a[0], a[1])
	case unix.SYS_PPOLL:
		w.timespec(a[2], time.Nanosecond)
		w.poll(a[0], a[1])
	case sysSelect:
		w.timespec(a[4], time.Microsecond)
		w.selectSets(a[0], [3]uint64{a[1], a[2], a[3]})
	case unix.SYS_PSELECT6:
		w.timespec(a[4], time.Nanosecond)
		w.selectSets(a[0], [3]uint64{a[1], a[2], a[3]})
	case sysEpollWait, unix.SYS_EPOLL_PWAIT:
		w.millis(a[3])
		w.epollSet(int(int32(a[0])), 1)
	case unix.SYS_EPOLL_PWAIT2:
		w.timespec(a[3], time.Nanosecond)
		w.epollSet(int(int32(a[0])), 1)
	case unix.SYS_FUTEX:
		w.futex(a)
	case unix.SYS_RT_SIGTIMEDWAIT:
		w.plain = true
		w.timespec(a[2], time.Nanosecond)
	case unix.SYS_NANOSLEEP:
		w.plain = true
		w.timespec(a[0], time.Nanosecond)
	case unix.SYS_CLOCK_NANOSLEEP:
		w.plain = true
		w.deadline(a[2], int32(a[0]), a[1]&unix.TIMER_ABSTIME != 0)
	case unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_RT_SIGSUSPEND, sysPause:
		w.plain = true
	case -1:
	default:
		w.class, w.outside = OthersEvents, true
	}
}

// futex reads the timeout of a futex call (futex(2)): a duration for FUTEX_WAIT, a point in time
// for the other operations that wait.
func (w *waitDecoder) futex(a [6]uint64) {
	const wait, lockPI, waitBitset, waitRequeuePI, lockPI2, realtime = 0, 6, 9, 11, 13, 0x100
	w.plain = true
	op := a[1] & 0x7f
	clock := int32(unix.CLOCK_MONOTONIC)
	if op == lockPI || a[1]&realtime != 0 {
		clock = unix.CLOCK_REALTIME
	}
	switch op {
	case wait, lockPI, waitBitset, waitRequeuePI, lockPI2:
		if a[3] != 0 {
			w.deadline(a[3], clock, op != wait)
		}
	}
}

// deadline reads a struct timespec. If absolute is true, it is the time of clock at which the wait
// ends, otherwise the duration of the wait.
func (w *waitDecoder) deadline(addr uint64, clock int32, absolute bool) {
	w.timespec(addr, time.Nanosecond)
	var now unix.Timespec
	if !absolute || w.timeout == 0 {
		return
	}
	if unix.ClockGettime(clock, &now) == nil {
		w.ends = time.Now().Add(w.timeout - time.Duration(now.Nano()))
	}
	w.timeout = 0
}

// millis reads a timeout in milliseconds. A negative one means no timeout.
func (w *waitDecoder) millis(arg uint64) {
	if ms := int32(arg); ms >= 0 {
		w.timed, w.timeout = true, time.Duration(ms)*time.Millisecond
	}
	w.countTimeout()
}

// timespec reads a timeout from a struct timespec or timeval, whose second field counts units. If the
// struct cannot be read, timeout stays 0. A call updates the struct only when it returns.
func (w *waitDecoder) timespec(addr uint64, unit time.Duration) {
	w.timed = addr != 0
	w.countTimeout()
	if addr == 0 || bits.UintSize != 64 {
		return
	}
	b, err := w.proc.memory(w.pid, addr, 16)
	if err != nil {
		return
	}
	sec, part := binary.NativeEndian.Uint64(b), binary.NativeEndian.Uint64(b[8:])
	if sec < 1<<32 && part < 1<<30 {
		w.timeout = time.Duration(sec)*time.Second + time.Duration(part)*unit
	}
}

// countTimeout raises class to OthersTimed for a wait with a timeout.
func (w *waitDecoder) countTimeout() {
	if w.timed {
		w.class = max(w.class, OthersTimed)
	}
}

// countKind raises class to the class of a wait for a descriptor of kind k. A pipe does not raise it:
// the other end usually belongs to a process of the same group, which is examined too.
func (w *waitDecoder) countKind(k kind) {
	switch k {
	case kindSocket, kindOther, kindMaster, kindEpoll:
		w.class = OthersEvents
	case kindTimer:
		w.class = max(w.class, OthersTimed)
	}
}

// descriptor records in w that the call waits for one more descriptor. input reports whether it waits
// to read the descriptor. depth is the number of nested epoll sets that contain the descriptor.
func (w *waitDecoder) descriptor(fd int, input bool, depth int) {
	k, err := w.proc.kind(w.pid, fd, w.tty, w.dev)
	if err != nil {
		w.others, w.outside, w.class = true, true, OthersEvents
		return
	}
	if input && (k == kindPipe && w.proc.ownPipe(w.pid, fd) || k == kindSocket && w.proc.ownPair(w.pid, fd)) {
		k = kindWakeup
	}
	w.set += mix(uint64(fd)<<8 | uint64(k)<<1 | b2u(input))
	switch {
	case k == kindTerminal && input:
		w.how = HowEpoll // decode, poll and selectSets lower this to HowRead or HowPoll
		return
	case k == kindTerminal:
		return
	case k == kindWakeup:
		w.wakeups = true
		return
	case k == kindMaster && input:
		w.masterFD = fd
		w.masters++
	case k == kindEpoll && depth < 2:
		w.epollSet(fd, depth+1)
		return
	case k == kindTimer:
		left, ok := w.proc.timerLeft(w.pid, fd)
		if ok && left <= 0 { // the timer will not fire unless the process sets it
			w.wakeups = true
			return
		}
		if w.timed, w.ends = true, (time.Time{}); ok {
			w.ends = time.Now().Add(left)
		}
	}
	w.others = true
	w.pipe = w.pipe || k == kindPipe
	w.outside = w.outside || k == kindOther || k == kindMaster || k == kindSocket && !w.isInside(fd)
	w.countKind(k)
}

// isInside reports whether a socket waits for connections, or connects two processes of the session,
// whose threads are examined too. isInside also sets w.shared and w.peer.
func (w *waitDecoder) isInside(fd int) bool {
	peer, ok := socketPeer(w.pid, fd)
	switch {
	case !ok || peer == 0:
		return ok
	case peer == w.pid:
		w.shared = true
	case !w.proc.inSession(peer):
		w.peer = peer
		return false
	}
	return true
}

// poll reads an array of struct pollfd (poll(2)).
func (w *waitDecoder) poll(addr, n uint64) {
	const size, wantsInput = 8, unix.POLLIN | 0x40 // POLLRDNORM
	if n > maxDescriptors {
		w.class, w.outside = OthersEvents, true
		return
	}
	b, err := w.proc.memory(w.pid, addr, int(n)*size)
	if err != nil {
		w.class, w.outside = OthersEvents, true
		return
	}
	for ; len(b) >= size; b = b[size:] {
		fd := int(int32(binary.NativeEndian.Uint32(b)))
		if fd < 0 {
			continue // poll(2) ignores negative descriptors
		}
		events := binary.NativeEndian.Uint16(b[4:])
		w.descriptor(fd, events&wantsInput != 0, 0)
	}
	w.how = min(w.how, HowPoll)
}

// selectSets reads the three descriptor sets of select(2). Only a descriptor in the first set is
// waited for to be read.
func (w *waitDecoder) selectSets(nfds uint64, sets [3]uint64) {
	if nfds > maxDescriptors {
		w.class, w.outside = OthersEvents, true
		return
	}
	words := int(nfds+63) / 64
	for i, addr := range sets {
		if addr == 0 {
			continue
		}
		b, err := w.proc.memory(w.pid, addr, words*8)
		if err != nil {
			w.class, w.outside = OthersEvents, true
			return
		}
		for n := range words {
			for word := binary.NativeEndian.Uint64(b[n*8:]); word != 0; word &= word - 1 {
				if fd := n*64 + bits.TrailingZeros64(word); fd < int(nfds) {
					w.descriptor(fd, i == 0, 0)
				}
			}
		}
	}
	w.how = min(w.how, HowPoll)
}

// epollSet reads the descriptors of an epoll set from its fdinfo: lines of
// "tfd: 5 events: 19 data: …" (proc_pid_fdinfo(5)).
func (w *waitDecoder) epollSet(fd, depth int) {
	b, err := w.proc.fdinfo(w.pid, fd)
	if err != nil {
		w.others, w.outside, w.class = true, true, OthersEvents
		return
	}
	lines := append(w.proc.setBuf[:0], b...) // copied, because the next read overwrites b
	if depth == 1 {
		w.proc.setBuf = lines
	} else {
		lines = bytes.Clone(b)
	}
	for line := range bytes.Lines(lines) {
		rest, ok := bytes.CutPrefix(line, []byte("tfd:"))
		if !ok {
			continue
		}
		target, rest, ok1 := nextInt(rest)
		_, rest, ok2 := bytes.Cut(rest, []byte("events:"))
		events, _, ok3 := nextUint(rest, 16)
		if ok1 && ok2 && ok3 {
			w.descriptor(int(target), events&unix.EPOLLIN != 0, depth)
		}
	}
}

// memory reads n bytes of the process's memory.
func (p *procfs) memory(pid int, addr uint64, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	p.mem = slices.Grow(p.mem[:0], n)[:n]
	local := []unix.Iovec{{Base: &p.mem[0]}}
	local[0].SetLen(n)
	remote := []unix.RemoteIovec{{Base: uintptr(addr), Len: n}}
	got, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err == nil && got != n {
		err = errUnexpected
	}
	return p.mem[:n], err
}

// mix scrambles the bits of x (splitmix64), so that a sum of mixed values identifies a set
// regardless of its order.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
