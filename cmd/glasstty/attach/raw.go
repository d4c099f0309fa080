package attach

import (
	"bytes"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// maxRead is the maximum number of bytes in one read.
const maxRead = 4096

// A rawTerminal is a terminal in raw mode. It is read until Close; later input is left for the
// shell.
type rawTerminal struct {
	in    *os.File
	state *term.State
	typed chan []byte
	stop  chan struct{}
	done  chan struct{} // closed when reading has ended
	wake  [2]*os.File   // a pipe that interrupts the wait for input
}

// takeRaw puts the terminal in into raw mode and starts reading it.
func takeRaw(in *os.File) (*rawTerminal, error) {
	t := &rawTerminal{in: in, typed: make(chan []byte), stop: make(chan struct{}), done: make(chan struct{})}
	var err error
	if t.wake[0], t.wake[1], err = os.Pipe(); err != nil {
		return nil, err
	}
	if t.state, err = term.MakeRaw(int(in.Fd())); err != nil {
		return nil, errors.Join(err, t.wake[0].Close(), t.wake[1].Close())
	}
	go t.read()
	return t, nil
}

// Typed returns the channel of input. It is closed when the terminal is gone.
func (t *rawTerminal) Typed() <-chan []byte { return t.typed }

// Close ends the reading and restores the terminal's modes.
func (t *rawTerminal) Close() error {
	close(t.stop)
	_, err := t.wake[1].Write([]byte{0})
	<-t.done
	return errors.Join(err, term.Restore(int(t.in.Fd()), t.state), t.wake[0].Close(), t.wake[1].Close())
}

// read sends input to t.typed until Close, or until the terminal is gone.
func (t *rawTerminal) read() {
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

// wait waits for input. It returns false when Close is called.
func (t *rawTerminal) wait() bool {
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
