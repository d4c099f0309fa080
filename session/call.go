package session

import (
	"context"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/state"
)

// callKey is the key of a call's name in a context.
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

// callOf returns the name of the call, "" if it has none.
func callOf(ctx context.Context) string {
	name, _ := ctx.Value(callKey{}).(string)
	return name
}

// maxCallName bounds the name of a call, in bytes; a longer one is cut.
const maxCallName = 128

// clientKey is the key of a client in a context.
type clientKey struct{}

// WithClient names the client that makes the calls of a context: its id, unique among the
// clients, and the name that others see. A client that has not seen the line that another
// has begun cannot add to that line.
func WithClient(ctx context.Context, id, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, control.Author{ID: id, Name: name})
}

// clientOf returns the client that makes the calls of a context.
func clientOf(ctx context.Context) control.Author {
	client, _ := ctx.Value(clientKey{}).(control.Author)
	return client
}

// observerKey is the key of an observer in a context.
type observerKey struct{}

// WithObserver says that an observer, a client that may only look, makes the calls of a
// context, and gives the observer's id. Its reads take nothing from others, and it moves
// and removes only the readers that it has registered.
func WithObserver(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, observerKey{}, id)
}

// Observer returns the id of the observer, "" for any other client.
func Observer(ctx context.Context) string {
	id, _ := ctx.Value(observerKey{}).(string)
	return id
}

// moves reports whether the calls of a context move a reader.
func moves(ctx context.Context, r *state.Reader) bool {
	observer := Observer(ctx)
	return observer == "" || r.Observer == observer
}
