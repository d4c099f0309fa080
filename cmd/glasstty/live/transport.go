package live

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// socket serves a page's connection over a WebSocket.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, v Visitor) {
	ws, err := acceptSocket(w, r)
	if err != nil {
		s.opt.Logger.Info("live page", "err", err)
		return // acceptSocket has sent the HTTP error
	}
	defer ws.drop()
	c, err := s.add(r, v, ws.write)
	if err != nil {
		s.opt.Logger.Info("live page", "err", errors.Join(err, ws.refuse(err.Error())))
		return
	}
	defer c.close()
	c.begin()
	for {
		data, err := ws.read(c.ctx)
		if err != nil {
			return
		}
		c.handle(data)
	}
}

// events serves a page's connection as an event stream (HTML, "Server-sent events"), for networks that
// block WebSockets. The page sends its own messages to the handler post.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v Visitor) {
	out := http.NewResponseController(w)
	c, err := s.add(r, v, eventWriter(w, s.opt.WriteLimit))
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	defer c.close()
	// A page that does not read its messages must not delay the end of the connection.
	defer context.AfterFunc(c.ctx, func() { _ = out.SetWriteDeadline(time.Now()) })()
	w.Header().Set("Content-Type", "text/event-stream")
	c.begin()
	<-c.ctx.Done()
}

// eventWriter returns a function that writes a message as an event within a time limit.
func eventWriter(w http.ResponseWriter, limit time.Duration) func(context.Context, []byte) error {
	out := http.NewResponseController(w)
	return func(_ context.Context, data []byte) error {
		if err := out.SetWriteDeadline(time.Now().Add(limit)); err != nil {
			return err
		}
		for _, part := range [][]byte{[]byte("data: "), data, []byte("\n\n")} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return out.Flush()
	}
}

// post handles one message from a page that receives its messages from events.
func (s *Server) post(w http.ResponseWriter, r *http.Request, v Visitor) {
	c, ok := s.conn(r.URL.Query().Get("conn"), v)
	if !ok {
		http.Error(w, "no such connection; reload the page", http.StatusNotFound)
		return
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	if !json.Valid(data) {
		http.Error(w, "the message is not JSON", http.StatusBadRequest)
		return
	}
	c.handle(data)
	w.WriteHeader(http.StatusNoContent)
}
