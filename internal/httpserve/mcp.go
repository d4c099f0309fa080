package httpserve

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glasstty/glasstty/internal/audit"
)

// Headers of streamable HTTP.
const (
	headerSession   = "Mcp-Session-Id"
	headerVersion   = "Mcp-Protocol-Version"
	headerLastEvent = "Last-Event-ID"
	headerMethod    = "Mcp-Method"
)

// firstStateless is the first protocol version without sessions.
const firstStateless = "2026-07-28"

// methodListen requests a stream of notifications, which lasts until the client or the server ends
// it. So pendingRequests, which counts requests that will be answered soon, does not count this one.
const methodListen = "subscriptions/listen"

// An mcpHandler serves streamable HTTP with and without sessions at one URL. The header
// Mcp-Protocol-Version selects one of them; a request without this header may have a session.
type mcpHandler struct {
	srv       *Server
	stateful  http.Handler
	stateless http.Handler
	store     *eventStore
	pending   *pendingRequests
	sse       *sseHandler
}

// newMCP returns a handler for the MCP server srv.opt.MCP, and adds middleware to that server.
func newMCP(srv *Server) *mcpHandler {
	h := &mcpHandler{
		srv:     srv,
		store:   newEventStore(srv.opt.Limits.Replay),
		pending: newPendingRequests(),
	}
	get := func(*http.Request) *mcp.Server { return srv.opt.MCP }
	// The SDK's check of the Host is disabled, because guard has checked it already.
	h.stateful = identify(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		EventStore:                 h.store,
		SessionTimeout:             srv.opt.Limits.SessionIdleTimeout,
		MaxRequestBodyBytes:        srv.opt.Limits.Body,
		DisableLocalhostProtection: true,
		Logger:                     srv.opt.Logger,
	}))
	h.stateless = identify(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		MaxRequestBodyBytes:          srv.opt.Limits.Body,
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true,
		Logger:                       srv.opt.Logger,
	}))
	h.sse = &sseHandler{mcp: h}
	srv.opt.MCP.AddReceivingMiddleware(h.checkCall, h.filterTools)
	return h
}

// ServeHTTP serves one request of an authorized client.
func (h *mcpHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(headerSession)
	ex := newExchange(r.Context(), h.srv.opt.Limits.Resume)
	r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, ex))
	if r.Method == http.MethodPost && r.Header.Get(headerMethod) != methodListen {
		h.pending.add(id, 1)
		defer h.pending.add(id, -1)
	}
	if r.Header.Get(headerVersion) >= firstStateless {
		h.stateless.ServeHTTP(w, r)
		return
	}
	switch {
	case id != "" && h.session(id) == nil:
		// The status tells a client to initialize again (2025-11-25, transports).
		http.Error(w, errNoSession.Error(), http.StatusNotFound)
		return
	case r.Method == http.MethodDelete && id != "":
		h.endCalls(r.Context(), id)
	case r.Method == http.MethodGet:
		if ex := h.store.exchange(id, r.Header.Get(headerLastEvent)); ex != nil && ex.principal.ID == PrincipalOf(r.Context()).ID {
			ex.attach(r.Context())
		}
	}
	h.stateful.ServeHTTP(w, r)
}

// identify passes the client's identity to the SDK, so that the SDK binds a session to the client. The
// SDK takes an identity only from a bearer token. So identify passes a dummy token, never the real
// token or cookie.
func identify(next http.Handler) http.Handler {
	checked := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		p := PrincipalOf(ctx)
		info := &auth.TokenInfo{UserID: p.ID, Expiration: p.Expires}
		if ex := exchangeOf(ctx); ex != nil {
			info.Extra = map[string]any{extraExchange: ex}
		}
		return info, nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer checked")
		r.Header.Del("Cookie")
		checked.ServeHTTP(w, r)
	})
}

// extraExchange is the key for a call's *exchange in TokenInfo.Extra.
const extraExchange = "glasstty-exchange"

// endCalls ends the calls of a session that its client is about to delete, and waits up to
// answerTime for their answers. The SDK would wait for the calls without ending or answering them.
func (h *mcpHandler) endCalls(ctx context.Context, id string) {
	if h.srv.clients.endCalls(h.session(id), PrincipalOf(ctx), errDeleted) {
		h.pending.wait(ctx, func(counts map[string]int) bool { return counts[id] == 0 })
	}
}

// close waits until all answers are written, but not longer than answerTime. It then begins to close
// all sessions, which ends their streams. Something else must have ended the calls (Options.StopCalls).
func (h *mcpHandler) close(ctx context.Context) {
	h.pending.wait(ctx, func(counts map[string]int) bool { return len(counts) == 0 })
	for ss := range h.srv.opt.MCP.Sessions() {
		h.srv.closeSession(ss)
	}
}

// session returns the open MCP session with an id, or nil if there is none.
func (h *mcpHandler) session(id string) *mcp.ServerSession {
	for ss := range h.srv.opt.MCP.Sessions() {
		if ss.ID() == id {
			return ss
		}
	}
	return nil
}

// callExchange returns the exchange of an MCP request. For /sse, it is the exchange of the request
// that opened the stream.
func callExchange(ctx context.Context, req mcp.Request) *exchange {
	if extra := req.GetExtra(); extra != nil && extra.TokenInfo != nil {
		if ex, ok := extra.TokenInfo.Extra[extraExchange].(*exchange); ok {
			return ex
		}
	}
	return exchangeOf(ctx)
}

// checkCall is the middleware that admits MCP sessions, and checks, limits and counts tool calls. It
// ends calls whose clients have disconnected.
func (h *mcpHandler) checkCall(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ex, ss := callExchange(ctx, req), req.GetSession().(*mcp.ServerSession)
		client := ex.principal
		if ss.ID() != "" && !h.srv.clients.admit(ss, client) {
			// Ending the session also ends its transport, so the answer must be written first.
			context.AfterFunc(ex.answered, func() { h.srv.dropSession(ss) })
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("%d MCP sessions are open, which is the maximum, "+
				"and no other client has more than this one; end some, or try later", h.srv.opt.Limits.Sessions)}
		}
		ctx = context.WithValue(withActor(ctx, client, ss), principalKey{}, client)
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		tool := call.Params.Name
		if !client.Scopes.Allows(ScopeFull) {
			if !h.srv.opt.Tools[tool] {
				return h.refused(ctx, tool, refusedScope, fmt.Sprintf("the token of this client may only watch (scope %s), and %s does more; "+
					"look with snapshot, or ask for a token with scope full", client.Scopes, clip(tool))), nil
			}
			if h.srv.opt.MarkReadOnly != nil {
				ctx = h.srv.opt.MarkReadOnly(ctx, client.ID)
			}
		}
		callCtx, done, err := h.srv.clients.beginCall(ctx, ss, ex)
		if err != nil {
			return h.refused(ctx, tool, refusedCalls, err.Error()), nil
		}
		defer done()
		return h.measure(callCtx, tool, func() (mcp.Result, error) { return next(callCtx, method, req) })
	}
}

// refused counts and logs a refused call, and returns its result.
func (h *mcpHandler) refused(ctx context.Context, tool, reason, why string) mcp.Result {
	h.srv.metrics.count(1, calls, outcomeRefused, h.srv.toolLabel(tool))
	h.srv.metrics.count(1, refusals, reason)
	h.srv.auditRefusal(audit.ActorOf(ctx), reason, clip(tool))
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: why}}, IsError: true}
}

// measure runs a call of a tool and records its outcome and duration.
func (h *mcpHandler) measure(ctx context.Context, tool string, run func() (mcp.Result, error)) (mcp.Result, error) {
	m, name := h.srv.metrics, h.srv.toolLabel(tool)
	start := time.Now()
	m.count(1, callsWaiting)
	defer m.count(-1, callsWaiting)
	res, err := run()
	m.count(time.Since(start).Seconds(), callSeconds, name)
	outcome := outcomeOK
	result, ok := res.(*mcp.CallToolResult)
	switch {
	case ctx.Err() != nil:
		outcome = outcomeCancelled
	case err != nil:
		outcome = outcomeProtocol
	case ok && result.IsError:
		outcome = outcomeError
	}
	m.count(1, calls, outcome, name)
	return res, err
}

// filterTools is the middleware that shows read-only clients only read-only tools.
func (h *mcpHandler) filterTools(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		if err != nil || !ok || callExchange(ctx, req).principal.Scopes.Allows(ScopeFull) {
			return res, err
		}
		out := *list
		out.Tools = slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool { return !h.srv.opt.Tools[t.Name] })
		return &out, nil
	}
}
