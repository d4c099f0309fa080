package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// A signalError is the cause of a context that a signal ended.
type signalError struct{ sig syscall.Signal }

func (e signalError) Error() string { return fmt.Sprintf("ended by signal %s", e.sig) }

// hangups are what is done on SIGHUP instead of ending.
type hangups struct {
	hasTerminal bool // there was one at the start

	mu sync.Mutex // guards do
	do []func()
}

// hangupKey is the context's key of the *hangups.
type hangupKey struct{}

// onHangup has f called on SIGHUP, which then does not end ctx, as it is usual for
// servers with logs that are rotated. The hangup of the terminal that the program
// was started on still ends it.
func onHangup(ctx context.Context, f func()) {
	if h, ok := ctx.Value(hangupKey{}).(*hangups); ok {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.do = append(h.do, f)
	}
}

// take does what is to be done on SIGHUP and reports whether there was something.
func (h *hangups) take() bool {
	h.mu.Lock()
	do := h.do
	h.mu.Unlock()
	if len(do) == 0 || h.hasTerminal && !terminalThere() {
		return false
	}
	for _, f := range do {
		f()
	}
	return true
}

// terminalThere reports whether this process has a controlling terminal that has
// not been hung up.
func terminalThere() bool {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// catchSignals returns a context that the first SIGINT, SIGTERM or SIGHUP ends,
// but see onHangup. Later ones are swallowed: a client that closes our input and
// then loses patience must not stop us from ending the children. SIGPIPE is caught
// too and does nothing, so that writing to a client that has vanished is an error
// and not our death; ignoring it instead would be inherited by every child.
func catchSignals(parent context.Context) (ctx context.Context, stop func()) {
	h := &hangups{hasTerminal: terminalThere()}
	ctx, cancel := context.WithCancelCause(context.WithValue(parent, hangupKey{}, h))
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		for sig := range ch {
			sig, ok := sig.(syscall.Signal)
			if !ok || sig == syscall.SIGPIPE || sig == syscall.SIGHUP && h.take() {
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

// endedBy returns the signal that ended ctx.
func endedBy(ctx context.Context) (syscall.Signal, bool) {
	e, ok := context.Cause(ctx).(signalError)
	return e.sig, ok
}
