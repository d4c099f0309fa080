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

// flights lists the requests of MCP sessions whose answers are not written yet. It is safe for
// concurrent use.
type flights struct {
	mu   sync.Mutex               // guards open
	open map[chan struct{}]string // the id of the MCP session; the channel is closed with the answer
}

func newFlights() *flights { return &flights{open: map[chan struct{}]string{}} }

// begin adds a request of a session, until answered is called. The id is "" for requests without
// a session.
func (f *flights) begin(session string) (answered func()) {
	done := make(chan struct{})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[done] = session
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.open, done)
		close(done)
	}
}

// wait waits until the present requests of the sessions that match are answered, but not longer
// than answerTime.
func (f *flights) wait(ctx context.Context, match func(session string) bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var waiting []chan struct{}
	f.mu.Lock()
	for done, session := range f.open {
		if match(session) {
			waiting = append(waiting, done)
		}
	}
	f.mu.Unlock()
	for _, done := range waiting {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// A countedTransport adds the requests of an SSE stream to flights. Their answers are events of the
// stream, not HTTP responses.
type countedTransport struct {
	*mcp.SSEServerTransport
	flights *flights
	id      string
}

// Connect connects the transport.
func (t countedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.SSEServerTransport.Connect(ctx)
	return &countedConn{Connection: conn, t: t}, err
}

// A countedConn is the connection of a countedTransport.
type countedConn struct {
	mcp.Connection
	t    countedTransport
	open sync.Map // of what begin returned, by the id of the request
}

// Read reads a message and adds it if it is a request.
func (c *countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		c.answered(req.ID) // an earlier one with the same id, which a client must not send
		c.open.Store(req.ID, c.t.flights.begin(c.t.id))
	}
	return msg, err
}

// Write writes a message and, if it is a response, removes its request.
func (c *countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.answered(res.ID)
	}
	return err
}

// answered removes the request with an id.
func (c *countedConn) answered(id any) {
	if answered, ok := c.open.LoadAndDelete(id); ok {
		answered.(func())()
	}
}

// Close closes the connection. It removes all requests, because no answer can follow.
func (c *countedConn) Close() error {
	defer c.open.Range(func(id, _ any) bool { c.answered(id); return true })
	return c.Connection.Close()
}
