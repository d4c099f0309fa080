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

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// maxLocal is the number of connections that a socket serves at once. Programs in sessions may
// have only maxWithin of them, so that they cannot lock people out.
const (
	maxLocal  = 64
	maxWithin = 16
)

// A localServer serves MCP and HTTP on a socket.
type localServer struct {
	listener *localsock.Listener
	mgr      *session.Manager
	srv      *mcpserver.Server
	log      *slog.Logger
	web      *handedOver   // serves the connections that speak HTTP
	slots    chan struct{} // holds one element for each connection
	number   atomic.Int64  // of the last connection

	mu     sync.Mutex // guards conns, within and closed
	conns  map[net.Conn]live.Visitor
	within int // connections from sessions
	closed bool
	served sync.WaitGroup
}

// serveLocal starts serving; o must have a Logger. The caller must call close. Results always
// include the structured form, which glasstty call can print.
func serveLocal(ctx context.Context, l *localsock.Listener, mgr *session.Manager, o mcpserver.Options, web http.Handler) (*localServer, error) {
	if o.Structured == mcpserver.StructuredOff {
		o.Structured = mcpserver.StructuredOn // for glasstty call
	}
	srv, err := mcpserver.New(mgr, o)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s := &localServer{
		listener: l,
		mgr:      mgr,
		srv:      srv,
		log:      o.Logger,
		slots:    make(chan struct{}, maxLocal),
		conns:    map[net.Conn]live.Visitor{},
		web:      newHandedOver(l.Addr(), web, o.Logger),
	}
	go s.accept(ctx)
	return s, nil
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
		who := localVisitor(s.mgr, conn)
		switch err := s.add(conn, who); {
		case errors.Is(err, net.ErrClosed):
			conn.Close()
			return
		case err != nil:
			s.log.Info("local connection", "err", err)
			conn.Close()
			<-s.slots
			continue
		}
		go s.serve(ctx, conn, who)
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
	s.log.Log(ctx, level, "local socket", "err", err)
	if errors.Is(err, localsock.ErrForeign) || errors.Is(err, localsock.ErrSandboxed) {
		return true
	}
	return pause(ctx, acceptPause) == nil
}

// errManyWithin is returned for a connection of a program in a session beyond maxWithin.
var errManyWithin = fmt.Errorf("programs in sessions have %d connections, the most they may have", maxWithin)

// add registers a connection for close. The error is net.ErrClosed after close.
func (s *localServer) add(conn net.Conn, who live.Visitor) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return net.ErrClosed
	case who.Within && s.within >= maxWithin:
		return errManyWithin
	case who.Within:
		s.within++
	}
	s.conns[conn] = who
	s.served.Add(1)
	return nil
}

// serve serves one connection: HTTP when it begins with a capital letter, as every HTTP
// method does, otherwise MCP.
func (s *localServer) serve(ctx context.Context, conn net.Conn, who live.Visitor) {
	in := &peeked{Conn: conn, in: bufio.NewReader(conn), closed: sync.OnceFunc(func() { s.forget(conn) })}
	if first, err := in.in.Peek(1); err == nil && first[0] >= 'A' && first[0] <= 'Z' {
		s.web.give(&visitorConn{in, who})
		return
	}
	defer in.closed()
	ctx = context.WithValue(audit.As(ctx, s.actor(conn)), visitorKey{}, who)
	if err := s.srv.Serve(ctx, in, onceClosed{conn}); err != nil && ctx.Err() == nil {
		s.log.Info("local connection", "err", err)
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

// localVisitor asks the kernel for the process that opened a connection. A program in a session
// acts for the agent: it may watch, and may not act as a person. An unknown process is treated
// like one in a session, which has the fewest rights.
func localVisitor(mgr *session.Manager, conn net.Conn) live.Visitor {
	v := live.Visitor{Person: session.Person{ID: "local"}, Via: "attach", Within: true}
	if _, pid, err := localsock.Peer(conn); err == nil {
		v.Session, v.Within = mgr.Within(pid)
	}
	v.Type = !v.Within
	return v
}

// forget ends a connection and makes room for another.
func (s *localServer) forget(conn net.Conn) {
	s.mu.Lock()
	if s.conns[conn].Within {
		s.within--
	}
	delete(s.conns, conn)
	s.mu.Unlock()
	_ = conn.Close() // may be closed already
	<-s.slots
	s.served.Done()
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
	err := errors.Join(s.listener.Close(), s.web.server.Close())
	s.served.Wait()
	return err
}
