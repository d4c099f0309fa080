package session

import (
	"errors"
	"io"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// readSize is the size of one read from the child; a PTY gives 4 KB at most.
	readSize = 32 << 10
	// drainLimit is how long the child's terminal is read after the child was
	// reaped, when something else keeps it open.
	drainLimit = time.Second
)

// readLoop reads the child until its terminal is closed. It is the only one
// to write to the emulator.
func (s *Session) readLoop() {
	defer close(s.drained)
	conn, err := s.pty.SyscallConn()
	if err != nil {
		return
	}
	buf := make([]byte, readSize)
	for {
		var (
			replies []byte
			failed  error
		)
		// The runtime waits until there is something to read. Reading and
		// counting are one step under the lock, so that a look at the terminal
		// never misses bytes that were read and not yet seen.
		err := conn.Read(func(fd uintptr) (done bool) {
			s.mu.Lock()
			defer s.mu.Unlock()
			n, err := unix.Read(int(fd), buf)
			switch {
			case n > 0:
				replies = s.takeLocked(buf[:n])
			case err == unix.EAGAIN:
				return false
			case err != unix.EINTR:
				// EIO, or nothing: the last slave descriptor was closed.
				failed = io.EOF
			}
			return true
		})
		if len(replies) > 0 && !s.queue.reply(replies) {
			s.replied(0)
		}
		if err != nil || failed != nil {
			return
		}
	}
}

// takeLocked gives what the child wrote to the emulator and returns its
// replies.
func (s *Session) takeLocked(p []byte) []byte {
	now := time.Now()
	s.raw.write(p)
	if s.opt.Pipe {
		p = asTerminal(p)
	}
	_, _ = s.term.Write(p) // always nil, see Terminal.Write
	s.lastOutput, s.activity = now, now
	s.pace.Output(now, s.term.EndLine())
	s.takeEventsLocked(now)
	s.noteOutputLocked(now)
	s.recordLocked(now, 'o', p)
	s.view.fresh = false
	s.notifyLocked()
	replies := s.term.TakeReplies()
	if s.opt.Pipe {
		return nil // who asks a terminal over a pipe does not expect an answer in its input
	}
	if len(replies) > 0 {
		s.unsent++ // until it is written, the program waits for it
	}
	return replies
}

// writeLoop writes queued input to the child, each item whole, in order.
func (s *Session) writeLoop() {
	for {
		it, ok := s.queue.take()
		if !ok {
			return
		}
		s.beforeWrite(&it)
		n, err := s.write(&it)
		s.deliver()
		s.afterWrite(&it, n)
		if err != nil {
			s.queue.fail()
			return
		}
	}
}

// waitLoop reaps the child and is the only one to say that it has exited.
func (s *Session) waitLoop() {
	defer close(s.exited)
	code := exitCode(s.cmd.Wait())
	s.queue.fail()
	stuck := false
	limit := time.NewTimer(drainLimit)
	defer limit.Stop()
	select {
	case <-s.drained:
	case <-limit.C:
		stuck = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.exitCode, s.undrain = StatusExited, code, stuck
	s.activity = time.Now()
	s.recordLocked(s.activity, 'x', strconv.AppendInt(nil, int64(code), 10))
	s.unsent, s.view.fresh = 0, false
	s.view.close()
	s.endKeyboardLocked()
	s.notifyLocked()
}

// exitCode returns the code of a child from what Wait says: 128 and the signal
// when a signal ended it.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return exit.ExitCode()
}
