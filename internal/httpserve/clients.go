package httpserve

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/share"
)

// clients contains the open MCP sessions with their owners, and counts the running tool calls. It
// ends a call when the call's MCP session or exchange ends. It is safe for concurrent use.
type clients struct {
	sessions *share.Table[*mcp.ServerSession, *sessionCtx]
	maxCalls int // maximum number of running calls of one client

	mu    sync.Mutex     // guards calls
	calls map[string]int // numbers of running calls, by Principal.ID
}

// A sessionCtx is the context of an MCP session. When it ends, the session's calls end.
type sessionCtx struct {
	context.Context
	end   context.CancelCauseFunc
	owner share.Owner
}

// newClients returns clients for at most l.Sessions sessions. If more are opened, the owner with
// the most sessions loses one: the session's calls end, and drop must end the session.
func newClients(l Limits, drop func(*mcp.ServerSession)) *clients {
	return &clients{
		maxCalls: l.Calls,
		calls:    map[string]int{},
		sessions: share.New(l.Sessions, func(ss *mcp.ServerSession, sc *sessionCtx) {
			sc.end(errDisplaced)
			drop(ss)
		}),
	}
}

// admit adds a session, or records a use of a session that was added before. It reports false if
// there are too many sessions and none can be ended. A session is removed when it ends.
func (c *clients) admit(ss *mcp.ServerSession, p Principal) bool {
	if _, ok := c.sessions.Get(ss); ok {
		c.sessions.Use(ss)
		return true
	}
	sc := &sessionCtx{owner: share.Owner{Name: p.ID, Source: hostPart(p.from)}}
	if p.Within() {
		sc.owner.Source = "a session" // all programs of Options.Within share one Source
	}
	sc.Context, sc.end = context.WithCancelCause(context.Background())
	if !c.sessions.Add(ss, sc, sc.owner) {
		return false
	}
	go func() {
		_ = ss.Wait() // the reason does not matter
		c.sessions.Remove(ss)
	}()
	return true
}

// endCalls ends the calls of a session with a reason. It does nothing and reports false if p is not
// the session's owner.
func (c *clients) endCalls(ss *mcp.ServerSession, p Principal, reason error) bool {
	sc, ok := c.sessions.Get(ss)
	if ok = ok && sc.owner.Name == p.ID; ok {
		sc.end(reason)
	}
	return ok
}

// beginCall returns the context of a call, which ends when the call's session or exchange ends.
// The error wraps errTooMany if the client has too many calls. If the exchange has ended already,
// for example because the token was withdrawn while the request's body arrived, the error is the reason.
// Without an error, the caller must call done.
func (c *clients) beginCall(ctx context.Context, ss *mcp.ServerSession, ex *exchange) (_ context.Context, done func(), err error) {
	if ex.callCtx.Err() != nil {
		return nil, nil, context.Cause(ex.callCtx)
	}
	client := ex.principal.ID
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[client] >= c.maxCalls {
		return nil, nil, fmt.Errorf("%w (%d); wait for some of them", errTooMany, c.maxCalls)
	}
	c.calls[client]++
	ctx, cancel := context.WithCancelCause(ctx)
	parents := []context.Context{ex.callCtx}
	if sc, ok := c.sessions.Get(ss); ok {
		parents = append(parents, sc)
		c.sessions.Begin(ss, sc.owner)
	}
	stops := make([]func() bool, len(parents))
	for i, parent := range parents {
		stops[i] = context.AfterFunc(parent, func() { cancel(context.Cause(parent)) })
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
		c.sessions.End(ss)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls[client]--; c.calls[client] == 0 {
			delete(c.calls, client)
		}
	}, nil
}
