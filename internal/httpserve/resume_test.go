package httpserve

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A cutter is a proxy that can cut its connections.
type cutter struct {
	net.Listener
	target string

	mu    sync.Mutex // guards conns
	conns []net.Conn
}

// newCutter starts a cutter in front of a server.
func newCutter(t *testing.T, target string) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: l, target: target}
	go c.run()
	t.Cleanup(func() { l.Close(); c.cut() })
	return c
}

func (c *cutter) run() {
	for {
		conn, err := c.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", c.target)
		if err != nil {
			conn.Close()
			continue
		}
		c.mu.Lock()
		c.conns = append(c.conns, conn, to)
		c.mu.Unlock()
		for _, pair := range [][2]net.Conn{{conn, to}, {to, conn}} {
			go func() {
				_, _ = io.Copy(pair[0], pair[1]) // ends when one of them is cut
				pair[0].Close()
			}()
		}
	}
}

// cut closes all current connections.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// TestClientResumes cuts the connections of the SDK's client twice during a call. It
// checks that the client reconnects by itself and gets the result.
func TestClientResumes(t *testing.T) {
	t.Parallel()
	r := newRig(t, Options{Keys: keys(t), Limits: Limits{Resume: time.Hour}})
	c := newCutter(t, r.addr)
	progress := make(chan struct{}, 1000)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { progress <- struct{}{} },
	})
	// This version has sessions; in the newest one there is nothing to resume.
	tr := &mcp.StreamableClientTransport{Endpoint: "http://" + c.Addr().String() + "/mcp", HTTPClient: &http.Client{Transport: bearer(tokenFull)}}
	session, err := client.Connect(t.Context(), tr, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		p := &mcp.CallToolParams{Name: "wait"}
		p.SetProgressToken("p")
		res, err := session.CallTool(context.Background(), p)
		if err != nil {
			got <- err.Error()
			return
		}
		got <- res.Content[0].(*mcp.TextContent).Text
	}()
	r.begun()
	for i := range 3 {
		if i > 0 { // only after the first event is there something to resume
			c.cut()
		}
		r.nudge <- struct{}{}
		select {
		case <-progress: // the client has reconnected
		case text := <-got:
			t.Fatalf("the call ended: %s", text)
		case <-time.After(patience):
			t.Fatal("the client does not reconnect")
		}
	}
	r.release <- struct{}{}
	if text := <-got; text != "released" {
		t.Errorf("the call ended: %s", text)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	r.free(0)
}
