package attach

import (
	"bytes"
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxRead is the maximum number of bytes in one read.
const maxRead = 4096

// read sends the terminal's input to t.typed until Restore is called. If the terminal is gone, read closes
// t.typed. Input that arrives after Restore is left for the shell.
func (t *Terminal) read() {
	defer close(t.done)
	buf := make([]byte, maxRead)
	for t.wait() {
		n, err := t.in.Read(buf)
		if err != nil || n == 0 {
			close(t.typed)
			return
		}
		select {
		case t.typed <- bytes.Clone(buf[:n]):
		case <-t.stop:
			return
		}
	}
}

// wait waits for input. It returns false when Restore is called, or if poll(2) fails.
func (t *Terminal) wait() bool {
	fds := []unix.PollFd{
		{Fd: int32(t.in.Fd()), Events: unix.POLLIN},
		{Fd: int32(t.wake[0].Fd()), Events: unix.POLLIN},
	}
	for {
		_, err := unix.Poll(fds, -1)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil || fds[1].Revents != 0:
			return false
		case fds[0].Revents != 0:
			return true
		}
	}
}
