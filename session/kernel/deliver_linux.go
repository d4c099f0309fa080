package kernel

import (
	"os"

	"golang.org/x/sys/unix"
)

// Deliver waits until the input written to a terminal's master has reached the line
// discipline, which wakes the reader. A worker of the kernel passes input on, late on a
// busy machine: until then a reader that slept before the input looks like one that has
// consumed it. poll(2) on the slave waits for the worker (n_tty_poll,
// tty_buffer_flush_work). Deliver reports whether the input has arrived for certain; it
// cannot tell when the slave cannot be opened.
func Deliver(master *os.File) bool {
	_, ok := Unread(master)
	return ok
}

// Unread is Deliver that also returns how many bytes of input are unread, in line mode
// those of whole lines. Input that was read need not be processed yet: it may be in a
// buffer of the program. ok is false when the slave cannot be opened.
func Unread(master *os.File) (n int, ok bool) {
	conn, err := master.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = conn.Control(func(fd uintptr) { n, ok = unread(int(fd)) })
	return n, err == nil && ok
}

// deliver is Deliver of a descriptor.
func deliver(master int) bool {
	_, ok := unread(master)
	return ok
}

// unread is Unread of a descriptor.
func unread(master int) (n int, ok bool) {
	// TIOCGPTPEER opens the slave without a path (ioctl_tty(2)). The descriptor
	// lives for a moment only: a longer life would hide the hangup.
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_NONBLOCK
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, flags)
	if errno != 0 {
		return 0, false
	}
	defer unix.Close(int(slave)) // nothing was written to it
	fds := []unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return 0, false
	}
	n, err := unix.IoctlGetInt(int(slave), unix.TIOCINQ)
	return n, err == nil
}
