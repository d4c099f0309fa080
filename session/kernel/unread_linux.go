package kernel

import (
	"os"

	"golang.org/x/sys/unix"
)

// UnreadInput waits until the input written to a terminal's master has reached the line discipline,
// which wakes the reader. It returns the number of bytes that no program has read; in line mode,
// it counts only complete lines. A kernel worker passes input on, and may be late on a busy machine.
// As long as it is late, a reader that slept before the input looks like one that has consumed it.
// poll(2) on the slave waits for the worker (n_tty_poll, tty_buffer_flush_work). Input that was read
// may still be in a buffer of the program. If the slave cannot be opened or asked, ok is false, and
// the input may not have arrived.
func UnreadInput(master *os.File) (n int, ok bool) {
	conn, err := master.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = conn.Control(func(fd uintptr) { n, ok = unread(int(fd)) })
	return n, err == nil && ok
}

// unread is UnreadInput for a descriptor.
func unread(master int) (n int, ok bool) {
	// TIOCGPTPEER opens the slave without a path (ioctl_tty(2)). The descriptor is
	// closed at once, since an open slave hides the hangup.
	const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_NONBLOCK
	slave, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, flags)
	if errno != 0 {
		return 0, false
	}
	defer unix.Close(int(slave)) // nothing was written to the slave, so Close cannot lose data
	fds := []unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}
	if _, err := unix.Poll(fds, 0); err != nil {
		return 0, false
	}
	n, err := unix.IoctlGetInt(int(slave), unix.TIOCINQ)
	return n, err == nil
}
