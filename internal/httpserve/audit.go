package httpserve

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
)

// maxRefusals is the maximum number of refusals that are logged per minute, and in a burst. Clients
// without a token must not be able to fill the disk.
const maxRefusals = 60

// auditRefusal writes a refusal to the audit log. It ignores errors, because the request is refused
// anyway.
func (s *Server) auditRefusal(a audit.Actor, reason, what string) {
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

// actorOf returns the actor of a request by p from an address, for the audit log.
func actorOf(p Principal, from string) audit.Actor {
	return audit.Actor{Via: "http", Who: cmp.Or(p.Name, p.ID), From: from}
}

// withActor returns a context whose actor is the sender of an MCP request.
func withActor(ctx context.Context, p Principal, ss *mcp.ServerSession) context.Context {
	a := actorOf(p, p.from)
	if id := ss.ID(); id != "" {
		a.Conn = id[:min(len(id), 8)] // the full ID would give access to the session
	}
	return audit.WithActor(ctx, a)
}
