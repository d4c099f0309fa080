package httpserve

import (
	"context"
	"errors"
	"sync"
	"time"
)

// An exchange is one HTTP request and its calls. It ends them when the client has
// disconnected, which the SDK does not. A client that has received an event can resume the
// stream (Last-Event-ID) within Limits.Resume. It is safe for concurrent use.
type exchange struct {
	principal Principal
	from      string // address of the client
	name      string // of its call, see repeats; "" for none
	grace     time.Duration
	answered  context.Context // ends with the HTTP answer to the request
	life      context.Context // ends when the client can no longer resume
	end       context.CancelCauseFunc

	mu        sync.Mutex // guards what follows
	resumable bool       // an event was sent
	repeated  bool       // the client has sent the request again: it does not resume the stream
	streaming bool       // the SDK has opened a stream and has not yet answered on it
	turn      int        // counts the connections that have carried the answer
	timer     *time.Timer
	handled   chan struct{} // closed when the SDK is done with the request
}

// exchangeKey is the context's key of the exchange.
type exchangeKey struct{}

// exchangeOf returns the exchange that ctx belongs to, nil when there is none.
func exchangeOf(ctx context.Context) *exchange {
	ex, _ := ctx.Value(exchangeKey{}).(*exchange)
	return ex
}

// newExchange returns the exchange of a request with this context.
func newExchange(ctx context.Context, grace time.Duration) *exchange {
	ex := &exchange{principal: PrincipalOf(ctx), grace: grace, answered: ctx, handled: make(chan struct{})}
	ex.life, ex.end = context.WithCancelCause(context.Background())
	ex.attach(ctx)
	return ex
}

// attach makes the connection of ctx the one that carries the answer.
func (ex *exchange) attach(ctx context.Context) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.turn++
	turn := ex.turn
	if ex.timer != nil {
		ex.timer.Stop()
	}
	context.AfterFunc(ctx, func() { ex.detached(turn, context.Cause(ctx)) })
}

// fromOf returns the address that an exchange's request came from.
func fromOf(ex *exchange) string {
	if ex == nil {
		return ""
	}
	return ex.from
}

// detached handles the end of a connection, for the reason why. When the connection carried
// the answer, the client has Limits.Resume to come back, unless its token was withdrawn.
// After the answer there are no calls left to end.
func (ex *exchange) detached(turn int, why error) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	switch {
	case errors.Is(why, errWithdrawn) || errors.Is(why, errExpired):
		ex.end(why)
	case turn != ex.turn:
	case ex.resumable && !ex.repeated:
		ex.timer = time.AfterFunc(ex.grace, func() { ex.gone(turn) })
	default:
		ex.end(errDropped)
	}
}

// gone ends the calls, unless another connection carries the answer now.
func (ex *exchange) gone(turn int) {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if turn == ex.turn {
		ex.end(errDropped)
	}
}

// sent notes that the client has received an event and can resume the stream.
func (ex *exchange) sent() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.resumable = true
}

// opened notes that the SDK has opened a stream for the answer. Its call may go on after
// the HTTP request.
func (ex *exchange) opened() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.streaming = true
}

// responded notes that the SDK has taken the answer of the call and that the JSON-RPC id of
// the request is free.
func (ex *exchange) responded() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	ex.streaming = false
	ex.handledLocked()
}

// closed notes the end of the HTTP request.
func (ex *exchange) closed() {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if !ex.streaming {
		ex.handledLocked()
	}
}

// isHandled reports whether the SDK is done with the request.
func (ex *exchange) isHandled() bool {
	select {
	case <-ex.handled:
		return true
	default:
		return false
	}
}

// handledLocked closes handled once.
func (ex *exchange) handledLocked() {
	if !ex.isHandled() {
		close(ex.handled)
	}
}

// awaitHandled waits until the SDK is done with a request that the client has sent again,
// and reports whether that came before the end of ctx. The call ends when its connection is
// lost, because the client does not resume the stream.
func (ex *exchange) awaitHandled(ctx context.Context) bool {
	ex.mu.Lock()
	ex.repeated = true
	if ex.timer != nil && ex.timer.Stop() {
		ex.end(errDropped)
	}
	ex.mu.Unlock()
	select {
	case <-ex.handled:
		return true
	case <-ctx.Done():
		return false
	}
}
