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

// keepAlive detects unreachable clients within half a minute.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// A connLimiter accepts at most Limits.Conns connections. If there are more, the owner with the most
// connections loses one (package share). A connection's owner is the sender of its latest request. If
// all connections of that owner serve a request, the new connection may be refused instead.
type connLimiter struct {
	net.Listener
	srv *Server
}

// Accept returns the next connection within the limits.
func (l *connLimiter) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn := &limitedConn{Conn: accepted, srv: l.srv}
		conn.checkUser = sync.OnceValue(func() error { return checkUser(peerOf(accepted)) })
		conn.within = sync.OnceValue(func() bool { return peerWithin(accepted, l.srv.opt.Within) })
		if l.srv.conns.Add(conn, struct{}{}, share.Owner{Source: hostPart(conn.RemoteAddr().String())}) {
			if l.srv.stopping.Err() != nil {
				conn.Close()
			}
			return conn, nil
		}
		l.srv.metrics.count(1, refusals, refusedConns)
		accepted.Close()
	}
}

// A limitedConn is a connection that counts toward the limit until it is closed.
type limitedConn struct {
	net.Conn
	srv    *Server
	ending atomic.Bool // set by endConn; makes Read return io.EOF

	// These functions examine the process at the other end. They ask the kernel only once.

	// checkUser returns an error unless the process belongs to this user or to root, and is outside
	// all sandboxes. A server without tokens calls it, because every user of the machine can reach
	// the loopback address.
	checkUser func() error
	within    func() bool // reports whether the process is, or may be, one of Options.Within
}

// Read returns io.EOF once ending is set, so that http.Server closes the connection after the
// current response.
func (c *limitedConn) Read(p []byte) (int, error) {
	if c.ending.Load() {
		return 0, io.EOF
	}
	return c.Conn.Read(p)
}

func (c *limitedConn) Close() error {
	defer c.srv.conns.Remove(c)
	return c.Conn.Close()
}

// connKey is the context key for a request's *limitedConn.
type connKey struct{}

// withConn adds a connection to the context of its requests.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	if t, ok := conn.(*tls.Conn); ok {
		conn = t.NetConn()
	}
	return context.WithValue(ctx, connKey{}, conn)
}

// connOf returns the connection that r came over.
func connOf(r *http.Request) *limitedConn { return r.Context().Value(connKey{}).(*limitedConn) }

// endConn makes the server close r's connection after the response, because r's token is no
// longer valid. An HTTP/2 connection stays open: it may carry requests with other tokens.
func endConn(r *http.Request) {
	if r.ProtoMajor == 1 {
		connOf(r).ending.Store(true)
	}
}
