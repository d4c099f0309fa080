package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd returns when a child of this process can be reaped without waiting, so
// that no thread, with its stacks, is held for each child that lives: the poller
// waits for its descriptor (pidfd_open(2)). Where there is none (Linux before 5.10,
// no descriptor free) it returns at once, and who reaps waits.
func awaitEnd(pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	// An error is of a descriptor that cannot be polled.
	_ = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil
	})
}
