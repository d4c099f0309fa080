package httpserve

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
)

// maxRefusals is the number of refusals per minute, and in a burst, that are logged. Clients
// without a token must not be able to fill the disk.
const maxRefusals = 60

// auditRefusal logs a refusal. It ignores errors, because the request is refused anyway.
func (s *Server) auditRefusal(a audit.Actor, reason, what string) {
	if s.opt.Audit == nil {
		return
	}
	if !s.refusalLimit.Allow() {
		s.unloggedRefusals.Add(1)
		return
	}
	r := audit.Record{Event: "refused", Actor: a, Verdict: "refused", Why: reason, Args: map[string]any{"what": what}}
	if left := s.unloggedRefusals.Swap(0); left > 0 {
		r.Args["left_out_before"] = left
	}
	_, _ = s.opt.Audit.Write(context.Background(), r)
}

// actorOf returns the sender of an HTTP request for the audit log.
func actorOf(r *http.Request) audit.Actor {
	p := PrincipalOf(r.Context())
	return audit.Actor{Via: "http", Who: p.who(), From: r.RemoteAddr}
}

// who returns the name of p, or its ID if it has no name.
func (p Principal) who() string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}

// withActor returns a context whose actor is the sender of an MCP request.
func withActor(ctx context.Context, who Principal, ss *mcp.ServerSession) context.Context {
	a := audit.Actor{Via: "http", Who: who.who(), From: who.from}
	if id := ss.ID(); id != "" {
		a.Conn = id[:min(len(id), 8)] // the full ID would give access to the session
	}
	return audit.WithActor(ctx, a)
}
