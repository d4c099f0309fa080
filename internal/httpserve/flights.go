package httpserve

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is how long an MCP session may take to write its last answers before it is
// closed: the SDK writes none while it closes.
const answerTime = 2 * time.Second

// flights counts the requests of each MCP session whose answers are not written yet. It is
// safe for concurrent use.
type flights struct {
	mu      sync.Mutex // guards what follows
	n       map[string]int
	all     int
	changed chan struct{} // closed and replaced when one has ended
}

func newFlights() *flights {
	return &flights{n: map[string]int{}, changed: make(chan struct{})}
}

// begin counts a request of a session; before initialize, the session's id is empty.
func (f *flights) begin(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n[session]++
	f.all++
}

// end counts an answered request.
func (f *flights) end(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n[session]--; f.n[session] == 0 {
		delete(f.n, session)
	}
	f.all--
	close(f.changed)
	f.changed = make(chan struct{})
}

// wait waits until a session has no requests left, at most for answerTime.
func (f *flights) wait(ctx context.Context, session string) {
	f.until(ctx, func() int { return f.n[session] })
}

// waitAll is wait for all sessions.
func (f *flights) waitAll(ctx context.Context) {
	f.until(ctx, func() int { return f.all })
}

// until waits until left, called with mu held, is zero.
func (f *flights) until(ctx context.Context, left func() int) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for {
		f.mu.Lock()
		n, changed := left(), f.changed
		f.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// A countedTransport counts the requests of an SSE stream: their answers are events of the
// stream and not HTTP responses.
type countedTransport struct {
	*mcp.SSEServerTransport
	flights *flights
	id      string
}

// Connect connects the transport.
func (t countedTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.SSEServerTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &countedConn{Connection: conn, t: t, open: map[jsonrpc.ID]bool{}}, nil
}

// A countedConn is the connection of a countedTransport.
type countedConn struct {
	mcp.Connection
	t countedTransport

	mu   sync.Mutex // guards open
	open map[jsonrpc.ID]bool
}

// Read reads a message and counts it when it is a request.
func (c *countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.open[req.ID] {
			c.open[req.ID] = true
			c.t.flights.begin(c.t.id)
		}
	}
	return msg, err
}

// Write writes a message and, when it is a response, counts its request as answered.
func (c *countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if res, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.open[res.ID] {
			delete(c.open, res.ID)
			c.t.flights.end(c.t.id)
		}
	}
	return err
}

// Close closes the connection. Open requests count as answered: no answer can follow.
func (c *countedConn) Close() error {
	err := c.Connection.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.open {
		delete(c.open, id)
		c.t.flights.end(c.t.id)
	}
	return err
}
