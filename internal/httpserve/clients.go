package httpserve

import (
	"mime"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/share"
)

// clients are the open MCP sessions with their owners. It is safe for concurrent use.
type clients struct {
	gauge *family
	table *share.Table[*mcp.ServerSession]
}

// newClients returns at most limit clients. Beyond that, the owner with the most sessions
// loses one, which drop ends.
func newClients(g *family, limit int, drop func(*mcp.ServerSession)) *clients {
	return &clients{gauge: g, table: share.New(limit, drop)}
}

// note adds a session until it ends, or notes its use. It reports false when there is no
// room.
func (c *clients) note(ss *mcp.ServerSession, who Principal, from string) bool {
	if _, ok := c.table.Owner(ss); ok {
		c.table.Use(ss)
		return true
	}
	source := hostPart(from)
	if who.Within() {
		source = "a session"
	}
	if !c.table.Add(ss, share.Owner{Name: who.ID, Source: source}) {
		return false
	}
	c.gauge.count(1)
	go func() {
		_ = ss.Wait() // the reason does not matter
		c.table.Remove(ss)
		c.gauge.count(-1)
	}()
	return true
}

// busy marks a session as having a call under way until done is called.
func (c *clients) busy(ss *mcp.ServerSession) (done func()) {
	if o, ok := c.table.Owner(ss); ok {
		c.table.Begin(ss, o)
	}
	return func() { c.table.End(ss) }
}

// owner returns the Principal.ID of a session's client.
func (c *clients) owner(ss *mcp.ServerSession) string {
	o, _ := c.table.Owner(ss)
	return o.Name
}

// mediaType returns a request's content type without parameters.
func mediaType(r *http.Request) string {
	t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return t
}
