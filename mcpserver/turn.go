package mcpserver

import (
	"context"
	"runtime"
)

// A turnstile lets through as many calls at once as there are processors. Those
// that work through a whole history or draw a picture pass it: a client with a
// thousand of them would otherwise have a thousand shares of the processors, and
// each step of another client's call would wait for all of them.
type turnstile chan struct{}

func newTurnstile() turnstile { return make(turnstile, runtime.GOMAXPROCS(0)) }

// pass waits for the caller's turn, first come first served. The caller must call
// leave. The error is that of ctx.
func (t turnstile) pass(ctx context.Context) (leave func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
