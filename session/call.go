package session

import (
	"context"

	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/state"
)

// callKey is the key of a call's name in a context.
type callKey struct{}

// WithCall names the call that a context belongs to. A call of the same name that
// is made again, because the server was restarted before it could answer, types
// nothing twice and is answered again: with all output that the first answer had,
// and with the session that the first one started. The name must be unique among
// all calls; "" is none.
func WithCall(ctx context.Context, name string) context.Context {
	if name == "" {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, name[:min(len(name), maxCallName)])
}

// callOf returns the name of the call, "" when it has none.
func callOf(ctx context.Context) string {
	name, _ := ctx.Value(callKey{}).(string)
	return name
}

// maxCallName bounds the name of a call, in bytes; a longer one is cut.
const maxCallName = 128

// clientKey is the key of a client in a context.
type clientKey struct{}

// WithClient says which client's the calls of a context are: its id, unique among the
// clients, and its name as others are shown it. A line that one client has begun is not
// added to by another that has not seen it.
func WithClient(ctx context.Context, id, name string) context.Context {
	return context.WithValue(ctx, clientKey{}, control.Author{ID: id, Name: name})
}

// clientOf returns the client whose calls are those of a context.
func clientOf(ctx context.Context) control.Author {
	client, _ := ctx.Value(clientKey{}).(control.Author)
	return client
}

// observerKey is the key of an observer in a context.
type observerKey struct{}

// WithObserver says that the calls of a context are those of an observer, a client that
// may only look, by its id. Its reads take nothing from others, and it moves and removes
// only the readers that it has registered.
func WithObserver(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, observerKey{}, id)
}

// Observer returns the id of the observer, "" for a client that may do more.
func Observer(ctx context.Context) string {
	id, _ := ctx.Value(observerKey{}).(string)
	return id
}

// moves reports whether the calls of a context move a reader.
func moves(ctx context.Context, r *state.Reader) bool {
	observer := Observer(ctx)
	return observer == "" || r.Observer == observer
}
