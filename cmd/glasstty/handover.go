package main

import (
	"bufio"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"

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

// handedOver serves HTTP on connections that were accepted elsewhere and are passed to give. It
// adds their visitors to the contexts of requests. It is the net.Listener of its own server.
type handedOver struct {
	server *http.Server
	addr   net.Addr
	conns  chan *visitorConn
	once   sync.Once
	done   chan struct{}
}

// newHandedOver returns a handedOver that is already serving; addr is the address of its
// listener.
func newHandedOver(addr net.Addr, h http.Handler, log *slog.Logger) *handedOver {
	l := &handedOver{addr: addr, conns: make(chan *visitorConn), done: make(chan struct{})}
	l.server = &http.Server{
		Handler: h, ReadHeaderTimeout: httpserve.MaxHeaderTime,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, visitorKey{}, c.(*visitorConn).who)
		},
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := l.server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Warn("live page", "at", addr, "err", err)
		}
	}()
	return l
}

// give passes a connection to Accept, or closes it after Close.
func (l *handedOver) give(c *visitorConn) {
	select {
	case l.conns <- c:
	case <-l.done:
		_ = c.Close() // nothing accepts it
	}
}

// Accept waits for the next connection.
func (l *handedOver) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *handedOver) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr returns the address given to newHandedOver.
func (l *handedOver) Addr() net.Addr { return l.addr }
