package httpserve

import (
	"mime"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"
)

// clients are the MCP sessions that are open, and whose they are. It is safe for
// concurrent use.
type clients struct {
	gauge prometheus.Gauge

	mu     sync.Mutex // guards what follows
	owners map[*mcp.ServerSession]string
	ids    map[string]bool // of those that have one
}

func newClients(g prometheus.Gauge) *clients {
	return &clients{gauge: g, owners: map[*mcp.ServerSession]string{}, ids: map[string]bool{}}
}

// note remembers a session until it ends.
func (c *clients) note(ss *mcp.ServerSession, owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.owners[ss]; ok {
		return
	}
	c.owners[ss] = owner
	c.ids[ss.ID()] = true
	c.gauge.Inc()
	go func() {
		_ = ss.Wait() // why it ended does not matter here
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.owners, ss)
		delete(c.ids, ss.ID())
		c.gauge.Dec()
	}()
}

// owner returns the Principal.ID of a session's client.
func (c *clients) owner(ss *mcp.ServerSession) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owners[ss]
}

// has reports whether a session with this id is open.
func (c *clients) has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ids[id]
}

// count returns how many sessions are open.
func (c *clients) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.owners)
}

// mediaType returns a request's content type without parameters.
func mediaType(r *http.Request) string {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}
