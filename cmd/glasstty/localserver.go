package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/mcpserver"
	"github.com/glasstty/glasstty/session"
)

// maxLocal is the maximum number of connections that a socket serves at once. Programs in sessions
// may have only maxWithin of them, so that they cannot lock people out.
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
	web      *http.Server  // serves the connections that speak HTTP
	slots    chan struct{} // holds one element for each connection
	within   chan struct{} // holds one element for each connection from a session
	end      func()        // ends accept and all connections
	served   sync.WaitGroup
}

// serveLocal starts serving on l, or closes l on an error. o must have a Logger. The caller must call
// close. StructuredOff does not apply to the socket, because glasstty call prints the structured form.
func serveLocal(ctx context.Context, l *localsock.Listener, mgr *session.Manager, o mcpserver.Options, web http.Handler) (*localServer, error) {
	if o.Structured == mcpserver.StructuredOff {
		o.Structured = mcpserver.StructuredOn
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
		within:   make(chan struct{}, maxWithin),
		web:      newConnServer(web, o.Logger),
	}
	connCtx, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	s.served.Go(func() { s.accept(ctx, connCtx) })
	return s, nil
}

// accept serves each connection of this user until the listener is closed or connCtx ends. Connections
// beyond maxLocal wait in the kernel's queue.
func (s *localServer) accept(ctx, connCtx context.Context) {
	for {
		select {
		case s.slots <- struct{}{}:
		case <-connCtx.Done():
			return
		}
		conn, err := s.listener.Accept()
		if err == nil {
			s.served.Go(func() {
				defer func() { <-s.slots }()
				s.serve(ctx, connCtx, conn)
			})
			continue
		}
		<-s.slots
		if !s.retry(ctx, err) {
			return
		}
	}
}

// acceptPause is the pause after an error of Accept, for example for lack of file descriptors.
const acceptPause = 100 * time.Millisecond

// retry handles an error of Accept, and reports whether to accept further connections. It logs the error,
// unless the listener is closed. If the error concerns more than one process, it pauses.
func (s *localServer) retry(ctx context.Context, err error) bool {
	if errors.Is(err, net.ErrClosed) {
		return false
	}
	level := slog.LevelWarn
	if errors.Is(err, localsock.ErrSandboxed) && errors.Is(err, fs.ErrNotExist) {
		level = slog.LevelInfo // the process has ended already: it only checked for a server
	}
	s.log.Log(ctx, level, "local socket", "err", err)
	if errors.Is(err, localsock.ErrForeign) || errors.Is(err, localsock.ErrSandboxed) {
		return true
	}
	return pause(ctx, acceptPause) == nil
}

// serve serves one connection until it is closed or connCtx ends: HTTP if the first byte is a capital letter,
// with which every HTTP method begins, and otherwise MCP. It refuses connections of sessions beyond maxWithin.
func (s *localServer) serve(ctx, connCtx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(connCtx, func() { _ = conn.Close() })()
	who := localVisitor(s.mgr, conn)
	if who.Within {
		select {
		case s.within <- struct{}{}:
			defer func() { <-s.within }()
		default:
			s.log.Info("local connection", "err", fmt.Sprintf("programs in sessions have %d connections, the most they may have", maxWithin))
			return
		}
	}
	in := bufio.NewReader(conn)
	if first, err := in.Peek(1); err == nil && first[0] >= 'A' && first[0] <= 'Z' {
		handOver(s.web, conn, in, who)
		return
	}
	ctx = context.WithValue(audit.WithActor(ctx, s.actor(conn)), visitorKey{}, who)
	ahead := struct {
		io.Reader
		io.Closer
	}{in, conn}
	if err := s.srv.Serve(ctx, ahead, nopCloseWriter{conn}); err != nil && ctx.Err() == nil {
		s.log.Info("local connection", "err", err)
	}
}

// connIDLen is the length of a connection's ID.
const connIDLen = 8

// actor returns the process at the other end of a connection as an actor for the audit log. The
// connection's ID is random, so that no other client gets it after a restart.
func (s *localServer) actor(conn net.Conn) audit.Actor {
	a := audit.Actor{Via: "socket", Conn: rand.Text()[:connIDLen]}
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

// localVisitor returns the process that opened a connection as a visitor. The kernel names the process. A
// program in a session may watch but not type, because it acts for the agent, not for a person. If the
// process is unknown, it gets the same few rights.
func localVisitor(mgr *session.Manager, conn net.Conn) live.Visitor {
	v := live.Visitor{Person: session.Person{ID: "local"}, Via: "attach", Within: true}
	if _, pid, err := localsock.Peer(conn); err == nil {
		v.Session, v.Within = mgr.Within(pid)
	}
	v.MayType = !v.Within
	return v
}

// nopCloseWriter ignores Close. The SDK closes the reader and the writer, and without nopCloseWriter would
// report the second Close of the connection as an error.
type nopCloseWriter struct{ io.Writer }

// Close does nothing.
func (nopCloseWriter) Close() error { return nil }

// close closes the socket, ends all connections and waits until they have ended. s may be nil.
func (s *localServer) close() error {
	if s == nil {
		return nil
	}
	s.end()
	err := errors.Join(s.listener.Close(), s.web.Close())
	s.served.Wait()
	return err
}
