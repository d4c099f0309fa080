package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// awaitEnd returns when a child of this process can be reaped without waiting. It waits in
// the runtime's poller, for the child's descriptor (pidfd_open(2)), so that living
// children need no threads. If there is no such descriptor (Linux before 5.10, too many
// open files), it returns at once, and the caller waits when it reaps.
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
	// It fails if the descriptor cannot be polled.
	_ = conn.Read(func(fd uintptr) bool {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		return n > 0 || err != nil
	})
}
