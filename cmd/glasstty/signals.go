package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// A signalError is the cause of a context that a signal ended.
type signalError struct{ sig syscall.Signal }

func (e signalError) Error() string { return fmt.Sprintf("ended by signal %s", e.sig) }

// catchSignals returns a context that the first SIGINT, SIGTERM or SIGHUP ends.
// Later ones are swallowed: a client that closes our input and then loses
// patience must not stop us from ending the children. SIGPIPE is caught too and
// does nothing, so that writing to a client that has vanished is an error and
// not our death; ignoring it instead would be inherited by every child.
func catchSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ch := make(chan os.Signal, 8)
	signal.Notify(ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		for sig := range ch {
			if sig, ok := sig.(syscall.Signal); ok && sig != syscall.SIGPIPE {
				cancel(signalError{sig})
			}
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
