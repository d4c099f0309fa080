package httpserve

import (
	"context"
	"sync"
	"time"
)

// An exchange is one HTTP request with its calls. It ends the calls when the client
// disconnects, which the SDK does not do. A client that has received an event can resume the
// stream (Last-Event-ID) within Limits.Resume. It is safe for concurrent use.
type exchange struct {
	principal Principal
	name      string    // name of its call, or ""; set by repeats
	lostAt    time.Time // when its connection was lost; guarded by repeats
	grace     time.Duration
	answered  context.Context // ends with the HTTP answer to the request
	callCtx   context.Context // ends when the client can no longer resume, and ends the calls
	end       context.CancelCauseFunc
	handled   context.Context // ends when the SDK is done with the request
	finish    context.CancelFunc

	mu        sync.Mutex  // guards the fields below
	resumable bool        // an event was sent
	repeated  bool        // the client repeated the request and will not resume the stream
	streaming bool        // the SDK has opened a stream and has not yet answered on it
	timer     *time.Timer // ends the calls of a client that does not resume; nil if never started

	carrier context.Context // ends with the connection that carries the answer
}

// exchangeKey is the context key for the *exchange.
type exchangeKey struct{}

// exchangeOf returns the exchange that ctx belongs to, or nil if there is none.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// newExchange returns the exchange of the request with this context. grace is the time to
// resume its stream.
func newExchange(ctx context.Context, grace time.Duration) *exchange {
	ex := &exchange{principal: PrincipalOf(ctx), grace: grace, answered: ctx}
	ex.callCtx, ex.end = context.WithCancelCause(context.Background())
	ex.handled, ex.finish = context.WithCancel(context.Background())
	ex.attach(ctx)
	return ex
}

// attach makes the connection of ctx the one that carries the answer.
func (ex *exchange) attach(ctx context.Context) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.carrier = ctx
	if ex.timer != nil {
		ex.timer.Stop()
	}
	context.AfterFunc(ctx, func() { ex.detached(ctx) })
}

// detached handles the end of the connection of ctx. If it carried the answer, the calls end: at
// once if the client cannot resume the stream, otherwise after grace unless it does. If the token
// became invalid, they always end at once.
func (ex *exchange) detached(ctx context.Context) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	switch {
	case tokenEnded(ctx):
		ex.end(context.Cause(ctx))
	case ctx != ex.carrier:
	case ex.resumable && !ex.repeated:
		ex.timer = time.AfterFunc(ex.grace, func() {
			ex.mu.Lock()
			defer ex.mu.Unlock()
			if ctx == ex.carrier {
				ex.end(errDropped)
			}
		})
	default:
		ex.end(errDropped)
	}
}

// sent notes that an event was sent, so that the client can resume the stream.
func (ex *exchange) sent() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.resumable = true
}

// opened notes that the SDK has opened a stream for the answer. The call may then outlive the
// HTTP request.
func (ex *exchange) opened() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.streaming = true
}

// responded notes that the SDK has the answer of the call, and that the JSON-RPC id of the
// request is free.
func (ex *exchange) responded() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.streaming = false
	ex.finish()
}

// closed notes the end of the HTTP request.
func (ex *exchange) closed() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if !ex.streaming {
		ex.finish()
	}
}

// awaitHandled waits until the SDK is done with a request that the client has repeated. It
// reports false if ctx ended first. The call ends when its connection is lost, because the
// client does not resume the stream.
func (ex *exchange) awaitHandled(ctx context.Context) bool {
	ex.mu.Lock()
	ex.repeated = true
	if ex.timer != nil && ex.timer.Stop() {
		ex.end(errDropped)
	}
	ex.mu.Unlock()
	select {
	case <-ex.handled.Done():
		return true
	case <-ctx.Done():
		return false
	}
}
