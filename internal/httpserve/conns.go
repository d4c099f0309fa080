package httpserve

import (
	"net"
	"sync"
	"time"
)

// keepAlive notices a client that is gone without a word, such as one whose
// network is: within half a minute.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// A connLimiter accepts connections up to a number in all and for each address.
// The others are told so and closed.
type connLimiter struct {
	net.Listener
	limits Limits
	opened func()
	closed func()
	refuse func()
	plain  bool // no TLS: a refusal can be said

	mu    sync.Mutex // guards what follows
	total int
	hosts map[string]int
}

// limited returns l with the server's limits.
func (s *Server) limited(l net.Listener) *connLimiter {
	return &connLimiter{
		Listener: l,
		limits:   s.limits,
		opened:   s.metrics.conns.Inc,
		closed:   s.metrics.conns.Dec,
		refuse:   s.metrics.refused.WithLabelValues(refusedConns).Inc,
		plain:    s.tls == nil,
		hosts:    map[string]int{},
	}
}

// Accept returns the next connection within the limits.
func (l *connLimiter) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		host := hostPart(conn.RemoteAddr().String())
		if l.take(host) {
			l.opened()
			return &limitedConn{Conn: conn, done: func() { l.give(host) }}, nil
		}
		l.refuse()
		l.turnAway(conn)
	}
}

// tooMany is what a connection above the limits gets.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n" +
	"Content-Type: text/plain\r\nContent-Length: 48\r\n\r\ntoo many connections; close some, or try later.\n"

// turnAway closes a connection. What is said fits into the kernel's buffer.
func (l *connLimiter) turnAway(conn net.Conn) {
	if l.plain && conn.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
		_, _ = conn.Write([]byte(tooMany)) // it may be gone already
	}
	conn.Close()
}

// take counts a connection in, if there is room.
func (l *connLimiter) take(host string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.limits.Conns || l.hosts[host] >= l.limits.ConnsPerHost {
		return false
	}
	l.total++
	l.hosts[host]++
	return true
}

// give counts a connection out.
func (l *connLimiter) give(host string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if l.hosts[host]--; l.hosts[host] == 0 {
		delete(l.hosts, host)
	}
	l.closed()
}

// A limitedConn is counted out when it is closed.
type limitedConn struct {
	net.Conn
	once sync.Once
	done func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.done)
	return err
}
