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
	web      *http.Server  // serves the connections that speak HTTP
	slots    chan struct{} // holds one element for each connection
	within   chan struct{} // holds one element for each connection from a session
	end      func()        // ends all connections
	served   sync.WaitGroup
}

// serveLocal starts serving on l; o must have a Logger. The caller must call close. StructuredOff does
// not apply on the socket, because glasstty call prints the structured form.
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
		web:      newHandedOver(web, o.Logger),
	}
	open, end := context.WithCancel(context.WithoutCancel(ctx))
	s.end = end
	s.served.Go(func() { s.accept(ctx, open) })
	return s, nil
}

// accept serves each connection of this user, until open ends. Connections beyond the limit
// wait in the kernel's queue.
func (s *localServer) accept(ctx, open context.Context) {
	for {
		select {
		case s.slots <- struct{}{}:
		case <-open.Done():
			return
		}
		conn, err := s.listener.Accept()
		if err == nil {
			s.served.Go(func() {
				defer func() { <-s.slots }()
				s.serve(ctx, open, conn)
			})
			continue
		}
		<-s.slots
		if !s.retry(ctx, err) {
			return
		}
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

// serve serves one connection until it is closed or open ends: HTTP when it begins with a
// capital letter, as every HTTP method does, otherwise MCP.
func (s *localServer) serve(ctx, open context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(open, func() { _ = conn.Close() })()
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

// maxConnID is the length of a connection's ID.
const maxConnID = 8

// actor returns the process at the other end of a connection. The connection's ID is random, so
// that another client does not get it after a restart.
func (s *localServer) actor(conn net.Conn) audit.Actor {
	a := audit.Actor{Via: "socket", Conn: rand.Text()[:maxConnID]}
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
	v.MayType = !v.Within
	return v
}

// nopCloseWriter ignores Close: the SDK closes reader and writer, and would report the second
// Close of the connection as an error.
type nopCloseWriter struct{ io.Writer }

// Close does nothing.
func (nopCloseWriter) Close() error { return nil }

// close ends all connections and waits until they have ended.
func (s *localServer) close() error {
	if s == nil {
		return nil
	}
	s.end()
	err := errors.Join(s.listener.Close(), s.web.Close())
	s.served.Wait()
	return err
}
