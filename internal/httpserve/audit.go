package httpserve

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
)

// Refusals that the audit log takes in a minute: whoever knocks at the door
// without a key must not be able to fill the disk.
const (
	maxRefusals  = 60
	refusalSpell = time.Minute
)

// refusals counts the refusals that are written, and those that are left out. It is
// safe for concurrent use.
type refusals struct {
	mu      sync.Mutex // guards what follows
	since   time.Time
	written int
	left    int
}

// take reports whether one more is written, and how many were left out before it.
func (r *refusals) take(now time.Time) (ok bool, left int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.since) >= refusalSpell {
		r.since, r.written = now, 0
	}
	if r.written++; r.written > maxRefusals {
		r.left++
		return false, 0
	}
	left, r.left = r.left, 0
	return true, left
}

// auditRefused writes that a request was refused. It is refused whether that can
// be written or not.
func (s *Server) auditRefused(a audit.Actor, reason, what string) {
	if s.audit == nil {
		return
	}
	ok, left := s.refused.take(time.Now())
	if !ok {
		return
	}
	r := audit.Record{Event: "refused", Actor: a, Verdict: "refused", Why: reason, Args: map[string]any{"what": what}}
	if left > 0 {
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
