package main

import (
	"bufio"
	"net"
	"sync"
)

// A peeked connection has its first bytes in a buffer.
type peeked struct {
	net.Conn
	from   origin
	in     *bufio.Reader
	closed func()
}

// Read reads from the buffer first.
func (c *peeked) Read(p []byte) (int, error) { return c.in.Read(p) }

// Close closes the connection and tells its owner.
func (c *peeked) Close() error {
	err := c.Conn.Close()
	c.closed()
	return err
}

// handedOver is a net.Listener for connections that another one has accepted.
type handedOver struct {
	addr  net.Addr
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

// newHandedOver returns a listener that says it is at addr.
func newHandedOver(addr net.Addr) *handedOver {
	return &handedOver{addr: addr, conns: make(chan net.Conn), done: make(chan struct{})}
}

// give passes a connection to Accept, or closes it after Close.
func (l *handedOver) give(c net.Conn) {
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

// Addr returns the address of the original listener.
func (l *handedOver) Addr() net.Addr { return l.addr }
