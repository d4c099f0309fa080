package kernel

import (
	"os"

	"golang.org/x/sys/unix"
)

// Deliver waits until what was written to a terminal's master has reached the
// line discipline, and so whoever reads the terminal has been woken. A worker of
// the kernel hands input over, and on a busy machine comes late: until then a
// reader asleep before the input looks like one that has consumed it. poll(2) on
// the slave waits for that worker (n_tty_poll, tty_buffer_flush_work). It
// reports whether that is certain; it is not where the slave cannot be opened.
func Deliver(master *os.File) bool {
	conn, err := master.SyscallConn()
	if err != nil {
		return false
	}
	delivered := false
	err = conn.Control(func(fd uintptr) { delivered = deliver(int(fd)) })
	return err == nil && delivered
}

// deliver is Deliver of a descriptor.
func deliver(master int) bool {
	// TIOCGPTPEER opens the slave without a path (ioctl_tty(2)). The descriptor
	// lives for a moment only: a longer life would hide the hangup.
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_NONBLOCK
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, flags)
	if errno != 0 {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	_ = unix.Close(int(slave)) // nothing was written to it
	return err == nil
}
