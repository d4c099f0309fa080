package httpserve

import (
	"context"
	"crypto/rand"
	"errors"
	"mime"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An sseHandler serves the transport before streamable HTTP (2024-11-05): a GET opens a stream
// of answers, whose first event contains the URL for POSTs. The SDK's own handler is not used,
// because it lets every client POST to every stream, and waits for the calls of disconnected
// clients.
type sseHandler struct {
	mcp      *mcpHandler
	sessions sync.Map // of *sseSession by the id in the URL for POSTs
}

// An sseSession is one open stream.
type sseSession struct {
	transport *mcp.SSEServerTransport
	owner     string // Principal.ID
}

// ServeHTTP opens a stream or receives a message for one.
func (h *sseHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		h.open(w, r)
	case http.MethodPost:
		h.post(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "GET opens a stream, POST sends to one", http.StatusMethodNotAllowed)
	}
}

// post receives one message.
func (h *sseHandler) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	s, ok := h.sessions.Load(r.URL.Query().Get("sessionid"))
	switch {
	case !ok:
		http.Error(w, "no such stream; GET /sse opens one", http.StatusNotFound)
	case s.(*sseSession).owner != PrincipalOf(r.Context()).ID:
		http.Error(w, "the stream belongs to another token", http.StatusForbidden)
	default:
		s.(*sseSession).transport.ServeHTTP(w, r)
	}
}

// open serves one stream until the client or the server ends it.
func (h *sseHandler) open(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	id := rand.Text()
	s := &sseSession{
		transport: &mcp.SSEServerTransport{
			Endpoint:            r.URL.Path + "?sessionid=" + id,
			Response:            w,
			MaxRequestBodyBytes: h.mcp.srv.opt.Limits.Body,
		},
		owner: PrincipalOf(r.Context()).ID,
	}
	h.sessions.Store(id, s)
	defer h.sessions.Delete(id)
	// SSE streams cannot be resumed, so their end ends the calls at once.
	h.serve(context.WithValue(r.Context(), exchangeKey{}, newExchange(r.Context(), 0)), s, id)
}

// serve connects a stream to the server.
func (h *sseHandler) serve(ctx context.Context, s *sseSession, id string) {
	ss, err := h.mcp.srv.opt.MCP.Connect(ctx, countedTransport{s.transport, h.mcp.pending, id}, nil)
	if err != nil {
		h.mcp.srv.opt.Logger.Info("sse", "err", err) // the client disconnected before the first event
		return
	}
	if !h.mcp.srv.clients.admit(ss, PrincipalOf(ctx)) {
		h.mcp.srv.displace(ss)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = ss.Wait() // the reason does not matter
	}()
	select {
	case <-ctx.Done():
	case <-ended:
	}
	if err := ss.Close(); err != nil && !errors.Is(err, context.Canceled) {
		h.mcp.srv.opt.Logger.Debug("sse", "err", err)
	}
	<-ended
}
