package httpserve

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
)

// maxRefusals is how many refusals the audit log takes in a burst, and in a minute: clients
// without a token must not be able to fill the disk.
const maxRefusals = 60

// auditRefused writes that a request was refused. It is refused whether that can
// be written or not.
func (s *Server) auditRefused(a audit.Actor, reason, what string) {
	if s.audit == nil {
		return
	}
	if !s.refused.Allow() {
		s.unwritten.Add(1)
		return
	}
	r := audit.Record{Event: "refused", Actor: a, Verdict: "refused", Why: reason, Args: map[string]any{"what": what}}
	if left := s.unwritten.Swap(0); left > 0 {
		r.Args["left_out_before"] = left
	}
	_, _ = s.audit.Write(context.Background(), r)
}

// actorOf returns who sent a request of HTTP, as far as is known.
func actorOf(r *http.Request) audit.Actor {
	p := PrincipalOf(r.Context())
	return audit.Actor{Via: "http", Who: p.who(), From: r.RemoteAddr}
}

// who returns the name of a Principal, or what there is instead.
func (p Principal) who() string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// as returns a context in which a request of MCP is done by who sent it.
func as(ctx context.Context, ex *exchange, who Principal, ss *mcp.ServerSession) context.Context {
	a := audit.Actor{Via: "http", Who: who.who()}
	if ex != nil {
		a.From = ex.from
	}
	if id := ss.ID(); id != "" {
		a.Conn = id[:min(len(id), 8)] // the whole of it lets whoever has it send
	}
	return audit.As(ctx, a)
}
