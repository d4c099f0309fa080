package httpserve

import (
	"context"
	"sync"
	"time"
)

// An exchange is one HTTP request with its calls. It ends the calls when the client
// disconnects, which the SDK does not do. A client that has received an event can resume the
// stream (Last-Event-ID) within Limits.Resume. An exchange is safe for concurrent use.
type exchange struct {
	principal Principal
	grace     time.Duration   // how long the client may take to resume the stream
	answered  context.Context // ends when the HTTP request has been answered or its client has disconnected
	callCtx   context.Context // ends when the client can no longer resume, and ends the calls
	end       context.CancelCauseFunc

	mu        sync.Mutex      // guards the fields below
	resumable bool            // an event was sent
	carrier   context.Context // context of the request whose connection carries the answer
}

// exchangeKey is the context key for the *exchange.
type exchangeKey struct{}

// exchangeOf returns the exchange that ctx belongs to, or nil if there is none.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// newExchange returns the exchange of the request with this context. grace is the time that the
// client has to resume the stream.
func newExchange(ctx context.Context, grace time.Duration) *exchange {
	ex := &exchange{principal: PrincipalOf(ctx), grace: grace, answered: ctx}
	ex.callCtx, ex.end = context.WithCancelCause(context.Background())
	ex.attach(ctx)
	return ex
}

// attach makes the connection of the request with this context the one that carries the answer.
func (ex *exchange) attach(ctx context.Context) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.carrier = ctx
	context.AfterFunc(ctx, func() { ex.disconnected(ctx, ex.grace) })
}

// disconnected handles the end of ctx, a request's context. If the token became invalid, the calls end
// at once. Otherwise, if the request's connection carried the answer, the calls end: at once if the client
// cannot resume the stream, or else after grace, unless the client has resumed the stream by then.
func (ex *exchange) disconnected(ctx context.Context, grace time.Duration) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	switch {
	case tokenEnded(ctx):
		ex.end(context.Cause(ctx))
	case ctx != ex.carrier: // the client has resumed the stream
	case ex.resumable && grace > 0:
		time.AfterFunc(grace, func() { ex.disconnected(ctx, 0) })
	default:
		ex.end(errDropped)
	}
}

// markResumable notes that an event was sent, so that the client can resume the stream.
func (ex *exchange) markResumable() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.resumable = true
}
