package main

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// hangupGrace is the time that a server continues after its client has closed the server's
// input. Normally the server reads the input to its end and stops earlier; a client that does
// not read its answers prevents that.
const hangupGrace = 4 * time.Second

// hungUp returns a channel that is closed when the other end of in was closed grace ago, even
// with unread input. It polls a duplicate descriptor, so that in may be closed meanwhile, and
// must be called before anything reads from in.
func hungUp(in *os.File, grace time.Duration) <-chan struct{} {
	gone := make(chan struct{})
	fd, err := unix.FcntlInt(in.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return gone // without a descriptor, the channel stays open
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
