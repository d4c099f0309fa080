package main

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/httpserve"
)

// A visitorConn is a connection whose visitor is known before its first request.
type visitorConn struct {
	net.Conn
	who live.Visitor
}

// visitorKey is the context key for the live.Visitor of such a connection.
type visitorKey struct{}

// A peeked is a connection whose first bytes were read ahead.
type peeked struct {
	net.Conn
	in     *bufio.Reader
	closed func() // called by Close
}

// Read reads from the buffer first.
func (c *peeked) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close closes the connection and calls c.closed.
func (c *peeked) Close() error {
	err := c.Conn.Close()
	c.closed()
	return err
}

// newHandedOver returns a server for connections that were accepted elsewhere, see handOver. It
// adds their visitors to the contexts of requests.
func newHandedOver(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: httpserve.MaxHeaderTime,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, visitorKey{}, c.(*visitorConn).who)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

// handOver has a server serve a connection in the background. If the server is closed, it closes
// the connection.
func handOver(server *http.Server, c *visitorConn) {
	l := &handedOver{conn: c}
	_ = server.Serve(l) // the error is that of the second Accept, or that the server is closed
	if l.conn != nil {
		_ = c.Close()
	}
}

// A handedOver is a net.Listener with one connection.
type handedOver struct {
	conn *visitorConn // nil after Accept
}

// Accept returns the connection, and then net.ErrClosed.
func (l *handedOver) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	c := l.conn
	l.conn = nil
	return c, nil
}

// Close does nothing.
func (l *handedOver) Close() error { return nil }

// Addr returns an empty address, which nobody uses.
func (l *handedOver) Addr() net.Addr { return &net.UnixAddr{} }
