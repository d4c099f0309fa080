package httpserve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A writer limits the time of each Write, so that a client that does not read cannot block the
// server.
type writer struct {
	http.ResponseWriter
	limit time.Duration // for each Write
}

// Write writes one piece of the answer.
func (w *writer) Write(p []byte) (int, error) {
	if err := http.NewResponseController(w.ResponseWriter).SetWriteDeadline(time.Now().Add(w.limit)); err != nil {
		return 0, err
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withBody returns a handler that reads the whole body of a request, within the limits on size
// and time, before it calls next.
func (s *Server) withBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.body(w, r)
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			s.refuse(w, r, refusedBody, http.StatusRequestEntityTooLarge,
				fmt.Errorf("the body has more than %d bytes; send long text in pieces, or in a file that the program reads", s.opt.Limits.Body))
			return
		case err != nil:
			w.Header().Set("Connection", "close")
			s.refuse(w, r, refusedBody, http.StatusRequestTimeout, fmt.Errorf("the whole body was not received within %v", s.opt.Limits.BodyTimeout))
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// body reads the body of a request, and then clears the read deadline that http.Server has set.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > s.opt.Limits.Body {
		return nil, &http.MaxBytesError{Limit: s.opt.Limits.Body}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opt.Limits.Body))
	if tokenEnded(r.Context()) {
		return nil, context.Cause(r.Context())
	}
	if err != nil {
		return nil, err
	}
	return body, http.NewResponseController(w).SetReadDeadline(time.Time{})
}
