package httpserve

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is the time that an MCP session has to write its last answers before it is closed.
// The SDK writes no answers while it closes a session.
const answerTime = 2 * time.Second

// pendingRequests counts the requests whose answers are not written yet. It is safe for concurrent use.
type pendingRequests struct {
	mu      sync.Mutex     // guards the fields below
	open    map[string]int // by MCP session, "" for requests without one; each at least 1
	changed chan struct{}  // closed and replaced when open changes
}

func newPendingRequests() *pendingRequests {
	return &pendingRequests{open: map[string]int{}, changed: make(chan struct{})}
}

// add adds n requests of a session.
func (f *pendingRequests) add(session string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[session] += n
	f.changedLocked(session)
}

// forget removes the requests of a session.
func (f *pendingRequests) forget(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[session] = 0
	f.changedLocked(session)
}

// changedLocked notes that the requests of a session have changed.
func (f *pendingRequests) changedLocked(session string) {
	if f.open[session] <= 0 {
		delete(f.open, session)
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// wait waits until done reports true, but not longer than answerTime.
func (f *pendingRequests) wait(ctx context.Context, done func(open map[string]int) bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for {
		f.mu.Lock()
		ok, changed := done(f.open), f.changed
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// A countedTransport adds the requests of an SSE stream to flights. Their answers are events of the
// stream, not HTTP responses.
type countedTransport struct {
	*mcp.SSEServerTransport
	flights *pendingRequests
	id      string
}

// Connect connects the transport.
func (t countedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.SSEServerTransport.Connect(ctx)
	return countedConn{conn, t}, err
}

// A countedConn is the connection of a countedTransport.
type countedConn struct {
	mcp.Connection
	t countedTransport
}

// Read reads a message and adds it if it is a request.
func (c countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		c.t.flights.add(c.t.id, 1)
	}
	return msg, err
}

// Write writes a message and, if it is a response, removes its request.
func (c countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.t.flights.add(c.t.id, -1)
	}
	return err
}

// Close closes the connection. It removes all requests, because no answer can follow.
func (c countedConn) Close() error {
	defer c.t.flights.forget(c.t.id)
	return c.Connection.Close()
}
