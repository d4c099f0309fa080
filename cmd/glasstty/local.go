package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// maxLocal is how many connections a socket serves at once. maxWithin is how many of them
// programs in sessions may have, so that they cannot lock people out.
const (
	maxLocal  = 64
	maxWithin = 16
)

// A localServer serves MCP and HTTP on a socket. Each MCP connection has a server of its own,
// because the end of a connection ends the calls of its server.
type localServer struct {
	listener *localsock.Listener
	mgr      *session.Manager
	opt      mcpserver.Options
	web      *http.Server // for connections with HTTP
	toWeb    *handedOver
	slots    chan struct{} // one for each connection
	number   atomic.Int64  // of the last connection

	mu     sync.Mutex // guards conns, within and closed
	conns  map[net.Conn]origin
	within int // connections from sessions
	closed bool
	served sync.WaitGroup
}

// serveLocal begins to serve; o must have a Logger. The caller must call close. Results
// always have the structured form, which glasstty call can print.
func serveLocal(ctx context.Context, l *localsock.Listener, mgr *session.Manager, o mcpserver.Options, web http.Handler) *localServer {
	if o.Structured == mcpserver.StructuredOff {
		o.Structured = mcpserver.StructuredOn // for glasstty call
	}
	s := &localServer{
		listener: l,
		mgr:      mgr,
		opt:      o,
		slots:    make(chan struct{}, maxLocal),
		conns:    map[net.Conn]origin{},
		web:      &http.Server{Handler: web, ReadHeaderTimeout: httpserve.MaxHeaderTime, ConnContext: fromSocket},
		toWeb:    newHandedOver(l.Addr()),
	}
	go s.serveWeb()
	go s.accept(ctx)
	return s
}

// accept serves each connection of this user. Connections beyond the limit wait in the
// kernel's queue.
func (s *localServer) accept(ctx context.Context) {
	for {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		conn, err := s.listener.Accept()
		if err != nil {
			<-s.slots
			if !s.retry(ctx, err) {
				return
			}
			continue
		}
		from := originOf(s.mgr, conn)
		switch err := s.add(conn, from); {
		case errors.Is(err, net.ErrClosed):
			conn.Close()
			return
		case err != nil:
			s.opt.Logger.Info("local connection", "err", err)
			conn.Close()
			<-s.slots
			continue
		}
		go s.serve(ctx, conn, from)
	}
}

// acceptPause is how long to wait after a connection could not be accepted, for example for
// lack of descriptors.
const acceptPause = 100 * time.Millisecond

// retry reports whether to continue accepting after err.
func (s *localServer) retry(ctx context.Context, err error) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	level := slog.LevelWarn
	if errors.Is(err, localsock.ErrSandboxed) && errors.Is(err, fs.ErrNotExist) {
		level = slog.LevelInfo // a process that only checked for a server
	}
	s.opt.Logger.Log(ctx, level, "local socket", "err", err)
	if errors.Is(err, localsock.ErrForeign) || errors.Is(err, localsock.ErrSandboxed) {
		return true
	}
	select {
	case <-time.After(acceptPause):
		return true
	case <-ctx.Done():
		return false
	}
}

// errManyWithin is returned for a connection of a program in a session beyond maxWithin.
var errManyWithin = fmt.Errorf("programs in sessions have %d connections, the most they may have", maxWithin)

// add registers a connection for close. The error is net.ErrClosed after close.
func (s *localServer) add(conn net.Conn, from origin) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return net.ErrClosed
	case from.within && s.within >= maxWithin:
		return errManyWithin
	case from.within:
		s.within++
	}
	s.conns[conn] = from
	s.served.Add(1)
	return nil
}

// serve serves one connection: HTTP when it begins with a capital letter, as every HTTP
// method does, otherwise MCP.
func (s *localServer) serve(ctx context.Context, conn net.Conn, from origin) {
	in := &peeked{Conn: conn, from: from, in: bufio.NewReader(conn), closed: sync.OnceFunc(func() { s.forget(conn) })}
	if first, err := in.in.Peek(1); err == nil && first[0] >= 'A' && first[0] <= 'Z' {
		s.toWeb.give(in)
		return
	}
	defer in.closed()
	opt := s.opt
	opt.Client = s.actor(conn)
	opt.Within = func(context.Context) bool { return from.within }
	srv, err := mcpserver.New(s.mgr, opt)
	if err == nil {
		err = srv.Serve(ctx, in, onceClosed{conn})
	}
	if err != nil && ctx.Err() == nil {
		s.opt.Logger.Info("local connection", "err", err)
	}
}

// actor returns the process at the other end of a connection for the audit log.
func (s *localServer) actor(conn net.Conn) audit.Actor {
	a := audit.Actor{Via: "socket", Conn: strconv.FormatInt(s.number.Add(1), 10)}
	uid, pid, err := localsock.Peer(conn)
	if err != nil {
		a.Who = err.Error()
		return a
	}
	a.Who = uidName(uid)
	if pid > 0 {
		a.From = fmt.Sprintf("pid %d", pid)
	}
	return a
}

// An origin is where the process at the other end of a local connection comes from.
type origin struct {
	within  bool   // from one of the sessions
	session string // its id, where it is known
}

// originOf asks the kernel for the process that opened a connection. An unknown process
// counts as one in a session, with the fewest rights.
func originOf(mgr *session.Manager, conn net.Conn) origin {
	_, pid, err := localsock.Peer(conn)
	if err != nil {
		return origin{within: true}
	}
	id, within := mgr.Within(pid)
	return origin{within, id}
}

// originKey is the key of a request's origin in its context.
type originKey struct{}

// fromSocket adds its origin to the context of a connection.
func fromSocket(ctx context.Context, conn net.Conn) context.Context {
	if p, ok := conn.(*peeked); ok {
		ctx = context.WithValue(ctx, originKey{}, p.from)
	}
	return ctx
}

// forget ends a connection and makes room for another.
func (s *localServer) forget(conn net.Conn) {
	s.mu.Lock()
	if s.conns[conn].within {
		s.within--
	}
	delete(s.conns, conn)
	s.mu.Unlock()
	_ = conn.Close() // may be closed already
	<-s.slots
	s.served.Done()
}

// serveWeb serves the connections that speak HTTP.
func (s *localServer) serveWeb() {
	if err := s.web.Serve(s.toWeb); err != nil && !errors.Is(err, http.ErrServerClosed) {
		s.opt.Logger.Warn("local socket", "err", err)
	}
}

// onceClosed ignores Close: the SDK closes reader and writer, and would report the second
// Close of the connection as an error.
type onceClosed struct{ io.Writer }

// Close does nothing.
func (onceClosed) Close() error { return nil }

// close ends all connections and waits until they have ended.
func (s *localServer) close() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()
	err := errors.Join(s.listener.Close(), s.web.Close())
	s.served.Wait()
	return err
}
