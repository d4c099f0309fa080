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

// A writer counts the bytes of an answer and limits the time of each Write, so that a
// client that does not read cannot block the server.
type writer struct {
	http.ResponseWriter
	ctl   *http.ResponseController
	limit time.Duration
	count func(n int)
}

// counted wraps the writer of an answer.
func (s *Server) counted(w http.ResponseWriter) http.ResponseWriter {
	return &writer{
		ResponseWriter: w,
		ctl:            http.NewResponseController(w),
		limit:          s.limits.WriteTime,
		count:          func(n int) { s.metrics.bytesOut.count(float64(n)) },
	}
}

// Write writes one piece of the answer.
func (w *writer) Write(p []byte) (int, error) {
	// Some writers, such as those of tests, have no deadlines.
	if err := w.ctl.SetWriteDeadline(time.Now().Add(w.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	n, err := w.ResponseWriter.Write(p)
	w.count(n)
	return n, err
}

// Unwrap returns the writer below, for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// bounded reads the whole body of a request before next sees it, within the
// limits of size and time.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := s.body(w, r)
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			s.refuse(w, r, refusedBody, http.StatusRequestEntityTooLarge,
				fmt.Errorf("the body has more than %d bytes; send long text in pieces, or in a file that the program reads", s.limits.Body))
			return
		case err != nil:
			w.Header().Set("Connection", "close")
			s.refuse(w, r, refusedBody, http.StatusRequestTimeout, fmt.Errorf("the body did not come whole within %v", s.limits.BodyTime))
			return
		}
		s.metrics.bytesIn.count(float64(len(body)))
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// limitBody sets the deadline for a request's body, also for requests whose body is not
// used: http.Server waits for its end before it answers.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	err := http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.limits.BodyTime))
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// body reads a request's body.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > s.limits.Body {
		return nil, &http.MaxBytesError{Limit: s.limits.Body}
	}
	if err := s.limitBody(w, r); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.limits.Body))
	if notTaken(r.Context()) {
		return nil, context.Cause(r.Context())
	}
	if err != nil {
		return nil, err
	}
	if err := http.NewResponseController(w).SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	return body, nil
}
