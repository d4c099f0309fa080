package session

import (
	"context"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/state"
)

// A caller describes who makes the calls of a context.
type caller struct {
	call     string         // see WithCall
	client   control.Author // see WithClient
	observer string         // see WithObserver
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// WithCall names the call that a context belongs to. A client may repeat a call under the
// same name if the server was restarted before it answered. The repeated call types and
// starts nothing a second time, and gets the same output and session as the first. The name
// must be unique among all calls; "" means no name.
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

// WithClient identifies the client that makes the calls of a context: by its id, unique among
// the clients, and by the name that others see. A client cannot add to a line that another author
// has begun until the client has seen that line.
func WithClient(ctx context.Context, id, name string) context.Context {
	c := callerOf(ctx)
	c.client = control.Author{ID: id, Name: name}
	return context.WithValue(ctx, callerKey{}, c)
}

// WithObserver marks the calls of a context as those of the observer with this id, a client
// that may only look. Its reads take nothing from others, and it moves and removes only the
// readers that it has registered.
func WithObserver(ctx context.Context, id string) context.Context {
	c := callerOf(ctx)
	c.observer = id
	return context.WithValue(ctx, callerKey{}, c)
}

// Observer returns the id of the observer, or "" for any other client.
func Observer(ctx context.Context) string { return callerOf(ctx).observer }

// mayMove reports whether the calls of a context may move a reader.
func mayMove(ctx context.Context, r *state.Reader) bool {
	observer := Observer(ctx)
	return observer == "" || r.Observer == observer
}
