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

// auditRefused logs a refusal. An error of the log changes nothing: the request is refused.
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

// actorOf returns the sender of an HTTP request for the audit log.
func actorOf(r *http.Request) audit.Actor {
	p := PrincipalOf(r.Context())
	return audit.Actor{Via: "http", Who: p.who(), From: r.RemoteAddr}
}

// who returns the name of a Principal, or its ID when it has no name.
func (p Principal) who() string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// as returns a context with the sender of an MCP request as its actor.
func as(ctx context.Context, ex *exchange, who Principal, ss *mcp.ServerSession) context.Context {
	a := audit.Actor{Via: "http", Who: who.who()}
	if ex != nil {
		a.From = ex.from
	}
	if id := ss.ID(); id != "" {
		a.Conn = id[:min(len(id), 8)] // the whole ID would give access to the session
	}
	return audit.As(ctx, a)
}
