package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/httpserve"
)

// visitorKey is the context key for the live.Visitor of a connection on the local socket or from a gateway.
type visitorKey struct{}

// newConnServer returns a server for connections that handOver passes to it. The context of each request
// has the visitor of the connection (visitorKey).
func newConnServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: httpserve.DefaultHeaderTimeout,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, visitorKey{}, c.(*visitorConn).visitor)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// handOver lets a server serve a connection of v, and returns when the connection or the server is closed.
// in reads from conn, and may have read bytes ahead.
func handOver(server *http.Server, conn net.Conn, in io.Reader, v live.Visitor) {
	closed, markClosed := context.WithCancel(context.Background())
	c := &visitorConn{Conn: conn, in: in, visitor: v, onClose: markClosed}
	next := make(chan net.Conn, 1)
	next <- c
	_ = server.Serve(&connListener{next, closed.Done()}) // returns when the connection or the server is closed
	_ = c.Close()
}

// A visitorConn is a connection whose visitor is known before the first request.
type visitorConn struct {
	net.Conn
	in      io.Reader
	visitor live.Visitor
	onClose func()
}

// Read reads from c.in, which first returns the bytes that were read ahead.
func (c *visitorConn) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close closes the connection and calls onClose.
func (c *visitorConn) Close() error {
	defer c.onClose()
	return c.Conn.Close()
}

// A connListener is a net.Listener with one connection.
type connListener struct {
	next   chan net.Conn   // holds the connection until Accept
	closed <-chan struct{} // closed when the connection is closed
}

// Accept returns the connection. The second call waits until the connection is closed and returns an error.
func (l *connListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.next:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close does nothing: Accept returns when the connection is closed.
func (l *connListener) Close() error { return nil }

// Addr returns an empty address, which is not used.
func (l *connListener) Addr() net.Addr { return &net.UnixAddr{} }
