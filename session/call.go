package session

import (
	"context"
	"fmt"
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
	return context.WithValue(ctx, callKey{}, name)
}

// callOf returns the name of the call, "" when it has none.
func callOf(ctx context.Context) string {
	name, _ := ctx.Value(callKey{}).(string)
	return name
}

// maxCallName bounds the name of a call, in bytes; a longer one is cut.
const maxCallName = 128

// inputName returns the name under which the child's owner knows what a call
// types: one that no other input has had, by this server or another.
func (s *Session) inputName(ctx context.Context) string {
	if name := callOf(ctx); name != "" {
		return name[:min(len(name), maxCallName)]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unnamed++
	return fmt.Sprintf("%s.%d", s.m.nonce, s.unnamed)
}

// begin notes where the reader stands as a call is about to move it.
func (r *reader) begin(call string) {
	before := *r
	before.origin = nil
	r.call, r.origin = call, &before
}

// repeat puts the reader back to where it stood before a call that is made
// again.
func (r *reader) repeat(call string) {
	if call != "" && r.call == call && r.origin != nil {
		*r = *r.origin
	}
}

// lookerKey is the key of a looker in a context.
type lookerKey struct{}

// WithLooker says that the calls of a context are those of a client, by its id, that
// may only look: it reads what others have not read without taking it from them,
// and moves no readers but those that it has registered.
func WithLooker(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, lookerKey{}, id)
}

// lookerOf returns the client that may only look, "" for one that may do more.
func lookerOf(ctx context.Context) string {
	id, _ := ctx.Value(lookerKey{}).(string)
	return id
}

// moves reports whether the calls of a context move the reader.
func (r *reader) moves(ctx context.Context) bool {
	looker := lookerOf(ctx)
	return looker == "" || r.looker == looker
}
