package httpserve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/share"
)

// Options configure a Server. Only Host is needed by every server.
type Options struct {
	Host    string       // to listen on, an address or a name; empty for every address
	Hosts   []string     // further names that clients may call the server by
	Origins []string     // pages of other sites that may use it, such as https://app.example.com
	Keys    *Keyring     // tokens; nil or empty: no token is required, and only this user is served
	TLS     *tls.Config  // nil: plain HTTP
	Limits  Limits       // zero fields: defaults
	Logger  *slog.Logger // default: nothing is logged
	Audit   *audit.Log   // logs refusals and used links; nil for no log
	// Browsers is the file that keeps the browsers that links have let in, for the next
	// server, mode 0600; "" for none.
	Browsers string

	MCP   *mcp.Server // served at /mcp and /sse, unless nil; it gets a middleware
	Tools []*mcp.Tool // its tools; their annotations say which are read-only
	// ReadTools are tools that ScopeRead allows in addition to the read-only ones.
	ReadTools []string
	// Look marks the context of a call by a read-only client with this ID; may be nil.
	Look func(ctx context.Context, id string) context.Context
	Stop func() // ends the server's calls, each with a reason; may be nil
	// Serves reports whether a token that is limited to hosts of a fleet is valid here;
	// nil: no such token is.
	Serves func(hosts string) bool
	// Within returns the processes for which Principal.Within is true; nil for none.
	Within func() []int
}

// A Server serves HTTP behind its guards. Its methods are safe for concurrent
// use, but for Handle, which comes before Serve.
type Server struct {
	host    string
	tls     *tls.Config
	limits  Limits
	log     *slog.Logger
	keys    *Keyring
	hosts   hosts
	origins origins
	tools   []*mcp.Tool
	reads   []string
	look    func(context.Context, string) context.Context
	serves  func(hosts string) bool
	mcp     *mcpHandler // nil without MCP
	endMCP  func()

	mux     *http.ServeMux
	http    *http.Server
	metrics *metrics
	rates   *rater
	guesses *rater
	clients *clients
	conns   *share.Table[*limitedConn]
	links   *links
	audit   *audit.Log
	refused *rate.Limiter // of the refusals that the audit log takes
	// unwritten counts refusals that the audit log has not taken since the last one.
	unwritten atomic.Int64

	stopping context.Context
	stop     context.CancelFunc
}

// New returns a Server. The error names an invalid host or origin.
func New(o Options) (*Server, error) {
	s := &Server{
		host:    o.Host,
		tls:     o.TLS,
		limits:  o.Limits.withDefaults(),
		log:     o.Logger,
		keys:    o.Keys,
		tools:   o.Tools,
		reads:   o.ReadTools,
		look:    o.Look,
		serves:  o.Serves,
		endMCP:  o.Stop,
		mux:     http.NewServeMux(),
		metrics: newMetrics(),
		links:   newLinks(),
		audit:   o.Audit,
		refused: rate.NewLimiter(rate.Every(time.Minute/maxRefusals), maxRefusals),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if s.hosts, err = newHosts(o.Host, o.Hosts); err != nil {
		return nil, err
	}
	if s.origins, err = newOrigins(o.Origins, o.TLS != nil); err != nil {
		return nil, err
	}
	if err := s.links.load(o.Browsers); err != nil {
		s.log.Warn("no browser is let in without a new link", "err", err)
	}
	s.rates, s.guesses = newRater(s.limits.Rate), newRater(s.limits.Guesses)
	s.conns = share.New(s.limits.Conns, func(c *limitedConn) { c.Close() })
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:   s.guarded(s.mux),
		TLSConfig: s.tls,
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return withConn(peers(o.Within)(ctx, conn), conn)
		},
		ReadHeaderTimeout: s.limits.HeaderTime,
		IdleTimeout:       s.limits.Idle,
		MaxHeaderBytes:    s.limits.Header,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.routes(o.MCP)
	return s, nil
}

// routes adds the paths that every server has.
func (s *Server) routes(server *mcp.Server) {
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	s.Handle("GET "+linkPath+"{code}", Access{Public: true}, http.HandlerFunc(s.serveLink))
	s.Handle("GET /metrics", Access{Scope: ScopeWatch}, s.metrics.handler())
	s.clients = newClients(s.metrics.clients, s.limits.Clients, s.endClient)
	if server == nil {
		return
	}
	s.mcp = newMCP(s, server)
	s.Handle("/mcp", Access{Scope: ScopeRead}, s.mcp)
	s.Handle("/sse", Access{Scope: ScopeRead}, s.mcp.sse)
}

// Access is the permission that a handler requires.
type Access struct {
	Scope   Scope // of the token
	Cookies bool  // a link's cookie with the page's proof may replace the token
	// CookieAlone accepts a cookie without the proof: for the page's own files, which
	// contain no secret.
	CookieAlone bool
	Public      bool // no token is required
}

// Handle adds a handler for a pattern of http.ServeMux behind all guards; see the package
// comment.
func (s *Server) Handle(pattern string, a Access, h http.Handler) {
	h = s.bounded(h)
	if !a.Public {
		h = s.authorized(a, h)
	}
	s.mux.Handle(pattern, h)
}

// Listen listens on the server's host and a port, 0 for any free port. The error is
// ErrInUse when the port is taken, and ErrNoToken when other machines could reach a server
// without a token.
func (s *Server) Listen(ctx context.Context, port int) (net.Listener, error) {
	addr := net.JoinHostPort(s.host, strconv.Itoa(port))
	lc := net.ListenConfig{KeepAliveConfig: keepAlive, Control: setSocket}
	l, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: another process listens on %s; choose another port, or 0 for any that is free", ErrInUse, addr)
	case err != nil:
		return nil, err
	}
	if ip := l.Addr().(*net.TCPAddr).IP; s.keys.Empty() && !ip.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%w: %s; make one with glasstty token --file FILE and start with --token-file FILE", ErrNoToken, addr), l.Close())
	}
	return l, nil
}

// Serve serves the connections of l until Shutdown, and then returns nil.
func (s *Server) Serve(l net.Listener) error {
	limited := s.limited(l)
	var err error
	if s.tls != nil {
		err = s.http.ServeTLS(limited, "", "")
	} else {
		err = s.http.Serve(limited)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Open reports whether the server requires no token.
func (s *Server) Open() bool { return s.keys.Empty() }

// Stopping returns a context that ends when Shutdown begins, for long-running handlers.
func (s *Server) Stopping() context.Context { return s.stopping }

// endClient ends an MCP session to make room for another.
func (s *Server) endClient(ss *mcp.ServerSession) {
	s.metrics.refused.count(1, refusedClients)
	s.mcp.calls.endSession(ss, errDisplaced)
	go func() {
		if err := ss.Close(); err != nil { // it waits for its calls
			s.log.Debug("close session", "err", err)
		}
	}()
}

// Shutdown ends the server: it closes idle connections, answers waiting calls with the
// reason, ends streams, then closes the listener and the other connections. When ctx ends,
// it cuts off the rest.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if s.endMCP != nil {
		s.endMCP()
	}
	// http.Server would wait for new connections as for busy ones.
	for _, conn := range s.conns.Idle() {
		conn.Close()
	}
	if s.mcp != nil {
		s.mcp.close(ctx)
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = nil // a client that does not read is no failure of the server
	}
	return errors.Join(err, s.http.Close())
}

// URL returns the address on l for clients.
func (s *Server) URL(l net.Listener) string {
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	addr := l.Addr().(*net.TCPAddr)
	host := s.host
	if host == "" || addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// readOnly reports whether ScopeRead allows a tool.
func (s *Server) readOnly(name string) bool {
	if slices.Contains(s.reads, name) {
		return true
	}
	return slices.ContainsFunc(s.tools, func(t *mcp.Tool) bool {
		return t.Name == name && t.Annotations != nil && t.Annotations.ReadOnlyHint
	})
}

// toolLabel returns the name under which calls of a tool are counted.
func (s *Server) toolLabel(name string) string {
	if slices.ContainsFunc(s.tools, func(t *mcp.Tool) bool { return t.Name == name }) {
		return name
	}
	return otherTool
}

// StopLimit is the recommended limit for Shutdown: enough for answers to be written.
const StopLimit = 800 * time.Millisecond
