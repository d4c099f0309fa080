package session

import (
	"context"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/state"
)

// A caller describes the client of a context, and the call that the context belongs to.
type caller struct {
	call     string         // the name of the call, see WithCall; or ""
	client   control.Author // the client that makes the call, see WithClient
	observer string         // the id of the client if it is an observer, see WithObserver; or ""
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// WithCall names the call that a context belongs to. If the server was restarted before it answered a call,
// a client may repeat the call under the same name. The repeated call types and starts nothing a second
// time, and gets the output, or the session, that the first call would have got. The name must be unique
// among all calls; "" means no name.
func WithCall(ctx context.Context, name string) context.Context {
	if name == "" {
		return ctx
	}
	c := callerOf(ctx)
	c.call = name[:min(len(name), maxCallName)]
	return context.WithValue(ctx, callerKey{}, c)
}

// maxCallName is the maximum length of a call's name in bytes; a longer one is cut.
const maxCallName = 128

// WithClient identifies the client that makes the calls of a context. id is unique among the clients, and
// name is what others see. A client cannot add to an unfinished line to which another author typed last,
// until the client has seen that line.
func WithClient(ctx context.Context, id, name string) context.Context {
	c := callerOf(ctx)
	c.client = control.Author{ID: id, Name: name}
	return context.WithValue(ctx, callerKey{}, c)
}

// WithObserver marks the calls of a context as those of the observer with this id. An observer is a client
// that may only look: its reads do not move the readers of others, and it removes only the readers that it
// has registered.
func WithObserver(ctx context.Context, id string) context.Context {
	c := callerOf(ctx)
	c.observer = id
	return context.WithValue(ctx, callerKey{}, c)
}

// Observer returns the id of the observer whose calls ctx belongs to, or "" if the client is not an observer.
func Observer(ctx context.Context) string { return callerOf(ctx).observer }

// mayMove reports whether the calls of a context may move a reader.
func mayMove(ctx context.Context, r *state.Reader) bool {
	observer := Observer(ctx)
	return observer == "" || r.Observer == observer
}
