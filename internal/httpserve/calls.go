package httpserve

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls are the tool calls under way. They end with their MCP session or request, and are
// counted for each client. It is safe for concurrent use.
type calls struct {
	max int // of one client

	mu      sync.Mutex // guards what follows
	ends    map[*mcp.ServerSession]map[*context.CancelCauseFunc]bool
	clients map[string]int // calls by Principal.ID
}

func newCalls(limit int) *calls {
	return &calls{
		max:     limit,
		ends:    map[*mcp.ServerSession]map[*context.CancelCauseFunc]bool{},
		clients: map[string]int{},
	}
}

// begin returns the context of a call, which ends with its session and, when ex is not nil,
// with its request. It returns errTooMany when the client has too many calls, and the
// reason when the request has ended already: its token may be withdrawn while its body
// arrives. The caller must call done.
func (c *calls) begin(ctx context.Context, ss *mcp.ServerSession, who Principal, ex *exchange) (_ context.Context, done func(), err error) {
	if ex != nil && ex.life.Err() != nil {
		return nil, nil, context.Cause(ex.life)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients[who.ID] >= c.max {
		cancel(nil)
		return nil, nil, errTooMany
	}
	c.clients[who.ID]++
	if c.ends[ss] == nil {
		c.ends[ss] = map[*context.CancelCauseFunc]bool{}
	}
	c.ends[ss][&cancel] = true
	release := func() bool { return true }
	if ex != nil {
		release = context.AfterFunc(ex.life, func() { cancel(context.Cause(ex.life)) })
	}
	return ctx, func() {
		release()
		cancel(nil)
		c.finish(ss, who, &cancel)
	}, nil
}

// finish forgets a call.
func (c *calls) finish(ss *mcp.ServerSession, who Principal, cancel *context.CancelCauseFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ends[ss], cancel)
	if len(c.ends[ss]) == 0 {
		delete(c.ends, ss)
	}
	if c.clients[who.ID]--; c.clients[who.ID] == 0 {
		delete(c.clients, who.ID)
	}
}

// endSession ends the calls of a session, for the reason given.
func (c *calls) endSession(ss *mcp.ServerSession, why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cancel := range c.ends[ss] {
		(*cancel)(why)
	}
}
