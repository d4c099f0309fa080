package httpserve

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/internal/share"
)

// keepAlive detects within half a minute that a client is unreachable.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// A connLimiter accepts at most Limits.Conns connections. Beyond that, the owner with the
// most connections loses one (package share); a connection belongs to the token that was
// last presented on it. A connection that cannot be accepted is answered with 503.
type connLimiter struct {
	net.Listener
	srv *Server
}

// limited returns l with the server's limits.
func (s *Server) limited(l net.Listener) *connLimiter { return &connLimiter{l, s} }

// Accept returns the next connection within the limits.
func (l *connLimiter) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := &limitedConn{Conn: accepted, srv: l.srv}
		if l.srv.conns.Add(conn, share.Owner{Source: hostPart(conn.RemoteAddr().String())}) {
			l.srv.metrics.conns.count(1)
			if l.srv.stopping.Err() != nil {
				conn.Close()
			}
			return conn, nil
		}
		l.srv.metrics.refused.count(1, refusedConns)
		l.turnAway(accepted)
	}
}

// tooMany is the answer to a connection beyond the limit.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n" +
	"Content-Type: text/plain\r\nContent-Length: 48\r\n\r\ntoo many connections; close some, or try later.\n"

// turnAway answers with tooMany, which fits into the kernel's buffer, and closes the
// connection.
func (l *connLimiter) turnAway(conn net.Conn) {
	if l.srv.tls == nil && conn.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = conn.Write([]byte(tooMany)) // it may be gone already
	}
	conn.Close()
}

// A limitedConn frees its place when it is closed.
type limitedConn struct {
	net.Conn
	srv    *Server
	once   sync.Once
	ending atomic.Bool // nothing more is read from it
}

// Read reads from the client, or returns io.EOF when the connection is to end after the
// present answer.
func (c *limitedConn) Read(p []byte) (int, error) {
	if c.ending.Load() {
		return 0, io.EOF
	}
	return c.Conn.Read(p)
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.srv.conns.Remove(c)
		c.srv.metrics.conns.count(-1)
	})
	return err
}

// connKey is the context's key of the *limitedConn.
type connKey struct{}

// withConn adds a connection to the context of its requests.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// inUse marks a connection as used by a request of p until done is called.
func (s *Server) inUse(r *http.Request, p Principal) (done func()) {
	conn, ok := r.Context().Value(connKey{}).(*limitedConn)
	if !ok {
		return func() {}
	}
	s.conns.Begin(conn, share.Owner{Name: p.ID, Source: hostOf(r)})
	return func() { s.conns.End(conn) }
}

// endConn ends the connection of a request with a withdrawn token after its answer. A
// connection of HTTP/2 may carry requests with other tokens and stays open.
func endConn(r *http.Request) {
	if conn, ok := r.Context().Value(connKey{}).(*limitedConn); ok && r.ProtoMajor == 1 {
		conn.ending.Store(true)
	}
}
