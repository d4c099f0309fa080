package session

import (
	"context"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/state"
)

// callKey is the context key of a call's name.
type callKey struct{}

// WithCall names the call that a context belongs to. A client may repeat a call under the
// same name if the server was restarted before it answered. The repeated call types and
// starts nothing a second time, and gets the same output and session as the first. The name
// must be unique among all calls; "" means no name.
func WithCall(ctx context.Context, name string) context.Context {
	if name == "" {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, name[:min(len(name), maxCallName)])
}

// callOf returns the name of the call, or "" if it has none.
func callOf(ctx context.Context) string {
	name, _ := ctx.Value(callKey{}).(string)
	return name
}

// maxCallName is the maximum length of a call's name in bytes; a longer one is cut.
const maxCallName = 128

// clientKey is the context key of a client.
type clientKey struct{}

// WithClient identifies the client that makes the calls of a context: by its id, unique among
// the clients, and by the name that others see. A client cannot add to a line that another
// has begun before it has seen that line.
func WithClient(ctx context.Context, id, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, control.Author{ID: id, Name: name})
}

// clientOf returns the client that makes the calls of a context.
func clientOf(ctx context.Context) control.Author {
	client, _ := ctx.Value(clientKey{}).(control.Author)
	return client
}

// observerKey is the context key of an observer's id.
type observerKey struct{}

// WithObserver says that the calls of a context come from the observer with this id, a client
// that may only look. Its reads take nothing from others, and it moves and removes only the
// readers that it has registered.
func WithObserver(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, observerKey{}, id)
}

// Observer returns the id of the observer, or "" for any other client.
func Observer(ctx context.Context) string {
	id, _ := ctx.Value(observerKey{}).(string)
	return id
}

// moves reports whether the calls of a context may move a reader.
func moves(ctx context.Context, r *state.Reader) bool {
	observer := Observer(ctx)
	return observer == "" || r.Observer == observer
}
