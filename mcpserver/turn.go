package mcpserver

import (
	"context"
	"runtime"
)

// A turnstile limits the calls that search a history or draw a picture to as many at once as
// there are processors. Otherwise a client with a thousand such calls would take the
// processors from all other clients.
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
