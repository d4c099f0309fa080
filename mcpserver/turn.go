package mcpserver

import (
	"context"
	"runtime"
)

// A turnstile limits the number of calls that search a history or draw a picture at the same
// time to the number of processors. Otherwise a client with a thousand such calls would take
// the processors from all other clients.
type turnstile chan struct{}

func newTurnstile() turnstile { return make(turnstile, runtime.GOMAXPROCS(0)) }

// pass waits for the caller's turn, first come, first served. The caller must call leave. If
// ctx ends first, pass returns its error.
func (t turnstile) pass(ctx context.Context) (leave func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
