package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A signalError is the cause of a context that a signal ended.
type signalError struct{ sig syscall.Signal }

func (e signalError) Error() string { return fmt.Sprintf("ended by signal %s", e.sig) }

// hangups are functions that run on SIGHUP.
type hangups struct {
	hadTerminal bool // the process had a controlling terminal at the start

	mu    sync.Mutex // guards funcs
	funcs []func()
}

// hangupKey is the context key for the *hangups.
type hangupKey struct{}

// onHangup makes SIGHUP run f instead of ending ctx: servers reopen rotated logs on SIGHUP. When the
// process's controlling terminal hangs up, SIGHUP still ends ctx.
func onHangup(ctx context.Context, f func()) {
	if h, ok := ctx.Value(hangupKey{}).(*hangups); ok {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.funcs = append(h.funcs, f)
	}
}

// run runs the functions for SIGHUP. It returns false without running them if the controlling
// terminal has hung up, or if there are none.
func (h *hangups) run() bool {
	h.mu.Lock()
	do := h.funcs
	h.mu.Unlock()
	if len(do) == 0 || h.hadTerminal && !hasControllingTerminal() {
		return false
	}
	for _, f := range do {
		f()
	}
	return true
}

// hasControllingTerminal reports whether this process has a controlling terminal that has
// not been hung up.
func hasControllingTerminal() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// catchSignals returns a context that the first SIGINT, SIGTERM or SIGHUP ends; after onHangup, SIGHUP may
// not. Later signals have no effect, so that an impatient client does not keep the server from ending its
// children. SIGPIPE is caught and ignored, so that a write to a client that is gone returns an error.
// SIG_IGN would do the same, but children would inherit it.
func catchSignals(parent context.Context) (ctx context.Context, stop func()) {
	h := &hangups{hadTerminal: hasControllingTerminal()}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, hangupKey{}, h))
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		for sig := range ch {
			sig, ok := sig.(syscall.Signal)
			if !ok || sig == syscall.SIGPIPE || sig == syscall.SIGHUP && h.run() {
				continue
			}
			cancel(signalError{sig})
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		close(ch)
		cancel(nil)
	}
}

// endedBy returns the signal that ended ctx. The second result is false if no signal did.
func endedBy(ctx context.Context) (syscall.Signal, bool) {
	e, ok := context.Cause(ctx).(signalError)
	return e.sig, ok
}

// hangupGrace is the time after which a server stops when its client has closed the server's input.
// Normally the server stops earlier, when it has read the input to its end. If the client does not read
// the answers, the server cannot read so far.
const hangupGrace = 4 * time.Second

// hungUp returns a channel that is closed when grace has passed since the other end of the pipe in was
// closed, even if input is unread. It polls a duplicate descriptor, so that in may be closed meanwhile.
// hungUp must be called before anything reads from in.
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
