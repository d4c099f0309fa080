package httpserve

import (
	"context"
	"crypto/rand"
	"mime"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An sseHandler serves the transport before streamable HTTP (2024-11-05): a GET opens a stream
// of answers, whose first event contains the URL for POSTs. The SDK's own handler is not used,
// because it lets every client POST to every stream, and waits for the calls of disconnected
// clients.
type sseHandler struct {
	mcp     *mcpHandler
	streams sync.Map // of *sseStream by the id in the URL for POSTs
}

// An sseStream is one open stream. It implements an MCP session's transport and connection. It
// records the session's requests as pending until they are answered, because the answers are
// events of the stream, not HTTP responses.
type sseStream struct {
	*mcp.SSEServerTransport
	mcp.Connection // set by Connect
	id             string
	owner          string // Principal.ID of the client that opened the stream
	pending        *pendingRequests
}

func (s *sseStream) Connect(ctx context.Context) (_ mcp.Connection, err error) {
	s.Connection, err = s.SSEServerTransport.Connect(ctx)
	return s, err
}

// Read reads a message. A request becomes pending.
func (s *sseStream) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := s.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		s.pending.add(s.id, 1)
	}
	return msg, err
}

// Write writes a message. The request that a response answers is no longer pending.
func (s *sseStream) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := s.Connection.Write(ctx, msg)
	if _, ok := msg.(*jsonrpc.Response); ok {
		s.pending.add(s.id, -1)
	}
	return err
}

// Close closes the connection. No request is pending any more, because no answer can follow.
func (s *sseStream) Close() error {
	defer s.pending.add(s.id, -allRequests)
	return s.Connection.Close()
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

func (h *sseHandler) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "the Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	s, ok := h.streams.Load(r.URL.Query().Get("sessionid"))
	switch {
	case !ok:
		http.Error(w, "no such stream; GET /sse opens one", http.StatusNotFound)
	case s.(*sseStream).owner != PrincipalOf(r.Context()).ID:
		http.Error(w, "the stream belongs to another token", http.StatusForbidden)
	default:
		s.(*sseStream).ServeHTTP(w, r)
	}
}

// open serves one stream until the client or the server ends it.
func (h *sseHandler) open(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	id, srv := rand.Text(), h.mcp.srv
	s := &sseStream{
		SSEServerTransport: &mcp.SSEServerTransport{
			Endpoint:            r.URL.Path + "?sessionid=" + id,
			Response:            w,
			MaxRequestBodyBytes: srv.opt.Limits.Body,
		},
		id:      id,
		owner:   PrincipalOf(r.Context()).ID,
		pending: h.mcp.pending,
	}
	h.streams.Store(id, s)
	defer h.streams.Delete(id)
	// SSE streams cannot be resumed, so their end ends the calls at once.
	ctx := context.WithValue(r.Context(), exchangeKey{}, newExchange(r.Context(), 0))
	ss, err := srv.opt.MCP.Connect(ctx, s, nil)
	if err != nil {
		srv.opt.Logger.Info("sse", "err", err) // the client disconnected before the first event
		return
	}
	if !srv.clients.admit(ss, PrincipalOf(ctx)) {
		srv.dropSession(ss)
	}
	end := func() { _ = ss.Close() } // Close reports how the stream ended, which does not matter
	defer end()
	defer context.AfterFunc(ctx, end)()
	_ = ss.Wait()
}
