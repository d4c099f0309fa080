package httpserve

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// answerTime is the time that an MCP session has to write its last answers before it is closed.
// The SDK writes no answers while it closes a session.
const answerTime = 2 * time.Second

// flights counts the requests of each MCP session whose answers are not written yet. It is
// safe for concurrent use.
type flights struct {
	mu      sync.Mutex     // guards the fields below
	n       map[string]int // by the id of the MCP session; no value is 0
	changed chan struct{}  // closed and replaced when a request ends
}

func newFlights() *flights {
	return &flights{n: map[string]int{}, changed: make(chan struct{})}
}

// begin counts a request of a session. The id is "" for requests without a session.
func (f *flights) begin(session string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n[session]++
}

// end counts answered requests.
func (f *flights) end(session string, answered int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n[session] -= answered; f.n[session] <= 0 {
		delete(f.n, session)
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// wait waits until a session has no requests left, but not longer than answerTime.
func (f *flights) wait(ctx context.Context, session string) {
	f.until(ctx, func() int { return f.n[session] })
}

// waitAll waits until no session has requests left, but not longer than answerTime.
func (f *flights) waitAll(ctx context.Context) {
	f.until(ctx, func() int { return len(f.n) })
}

// until waits until left returns zero, but not longer than answerTime. It calls left with mu
// held.
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

// A countedTransport counts the requests of an SSE stream. Their answers are events of the
// stream, not HTTP responses.
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
	return countedConn{conn, t}, nil
}

// A countedConn is the connection of a countedTransport.
type countedConn struct {
	mcp.Connection
	t countedTransport
}

// Read reads a message and counts it if it is a request.
func (c countedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		c.t.flights.begin(c.t.id)
	}
	return msg, err
}

// Write writes a message and, if it is a response, counts its request as answered.
func (c countedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.t.flights.end(c.t.id, 1)
	}
	return err
}

// Close closes the connection. All its requests count as answered, because no answer can
// follow.
func (c countedConn) Close() error {
	defer c.t.flights.end(c.t.id, math.MaxInt)
	return c.Connection.Close()
}
