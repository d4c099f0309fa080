package main

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hangupGrace is how long a server goes on serving a client that has closed the server's
// input. That is read to its end meanwhile, unless the client leaves its answers unread:
// then no more requests are read either.
const hangupGrace = 4 * time.Second

// hungUp returns a channel that is closed when nobody has had the other end of in for
// as long as grace, whatever waits in it to be read. It looks at a descriptor of its own,
// so that in may be closed meanwhile; it is to be called before anybody reads from in.
func hungUp(in *os.File, grace time.Duration) <-chan struct{} {
	gone := make(chan struct{})
	fd, err := unix.FcntlInt(in.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return gone // nothing can be watched
	}
	go func() {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLHUP}}
		_, err := unix.Poll(fds, -1)
		for errors.Is(err, unix.EINTR) {
			_, err = unix.Poll(fds, -1)
		}
		if err == nil && fds[0].Revents&unix.POLLHUP != 0 {
			time.AfterFunc(grace, func() { close(gone) })
		}
	}()
	return gone
}
