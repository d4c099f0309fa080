package httpserve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/share"
)

// Options configure a Server.
type Options struct {
	Host    string       // address or name to listen on; empty for all addresses
	Hosts   []string     // further names under which clients may reach the server
	Origins []string     // other sites whose pages may use it, such as https://app.example.com
	Keys    *Keyring     // tokens; if nil or empty, no token is required, and only this user and root are served
	TLS     *tls.Config  // nil for plain HTTP
	Limits  Limits       // zero fields have defaults
	Logger  *slog.Logger // default: nothing is logged
	Audit   *audit.Log   // records refusals and used links; may be nil
	// BrowsersFile is the path of a file, mode 0600, in which the browsers let in by links are saved
	// for the next server. If it is "", they are not saved.
	BrowsersFile string

	MCP   *mcp.Server     // served at /mcp and /sse, unless nil; New adds middleware to this server
	Tools map[string]bool // the tools of MCP, and whether ScopeRead allows each
	// MarkReadOnly marks the context of a call by the read-only client with this ID; may be nil.
	MarkReadOnly func(ctx context.Context, id string) context.Context
	StopCalls    func() // ends the running calls of MCP with a reason; may be nil
	// ServesHosts reports whether a token that is limited to these hosts of a fleet is valid on this
	// server. If ServesHosts is nil, no limited token is.
	ServesHosts func(hosts string) bool
	// Within returns the IDs of the processes for which Principal.Within is true; may be nil.
	Within func() []int
}

// A Server serves HTTP behind its guards. Its methods are safe for concurrent use, except
// Handle and Gauge, which must be called before Serve.
type Server struct {
	opt     Options
	hosts   hosts
	origins origins
	mcp     *mcpHandler // nil without MCP

	mux          *http.ServeMux
	http         *http.Server
	metrics      *metrics
	rates        *rateLimiter // of requests, by client and address
	guesses      *rateLimiter // of wrong tokens, by address
	clients      *clients
	conns        *share.Table[*limitedConn, struct{}] // the open connections
	links        *links
	refusalLimit *rate.Limiter // limits refusals in the audit log
	// unloggedRefusals counts the refusals left out of the audit log since the last one that was logged.
	unloggedRefusals atomic.Int64

	stopping context.Context
	stop     context.CancelFunc
}

// New returns a Server. The error names an invalid host or origin.
func New(o Options) (*Server, error) {
	o.Limits = o.Limits.withDefaults()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		opt:          o,
		mux:          http.NewServeMux(),
		metrics:      newMetrics(),
		links:        newLinks(),
		refusalLimit: rate.NewLimiter(rate.Every(time.Minute/maxRefusals), maxRefusals),
	}
	var err error
	if s.hosts, err = newHosts(o.Host, o.Hosts); err != nil {
		return nil, err
	}
	if s.origins, err = newOrigins(o.Origins, o.TLS != nil); err != nil {
		return nil, err
	}
	if err := s.links.load(o.BrowsersFile); err != nil {
		s.opt.Logger.Warn("cannot read the saved browsers: each needs a new link", "err", err)
	}
	s.rates, s.guesses = newRateLimiter(s.opt.Limits.Rate), newRateLimiter(s.opt.Limits.Guesses)
	s.conns = share.New(s.opt.Limits.Conns, func(c *limitedConn, _ struct{}) { c.Close() })
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.http = &http.Server{
		Handler:           s.guard(s.mux),
		TLSConfig:         s.opt.TLS,
		ConnContext:       withConn,
		ReadHeaderTimeout: s.opt.Limits.HeaderTimeout,
		ReadTimeout:       s.opt.Limits.BodyTimeout,
		IdleTimeout:       s.opt.Limits.IdleTimeout,
		MaxHeaderBytes:    s.opt.Limits.Header,
		ErrorLog:          slog.NewLogLogger(s.opt.Logger.Handler(), slog.LevelDebug),
	}
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	s.Handle("GET "+linkPath+"{code}", Access{Public: true}, http.HandlerFunc(s.serveLink))
	s.Handle("GET /metrics", Access{Scope: ScopeWatch}, s.metrics)
	s.clients = newClients(s.opt.Limits, s.dropSession)
	s.Gauge("connections", "Connections that are open.", unlabelled(s.conns.Len))
	s.Gauge("clients", "MCP sessions that are open.", unlabelled(s.clients.sessions.Len))
	if s.opt.MCP == nil {
		return
	}
	s.mcp = newMCP(s)
	s.Handle("/mcp", Access{Scope: ScopeRead}, s.mcp)
	s.Handle("/sse", Access{Scope: ScopeRead}, s.mcp.sse)
}

// Access is the permission that a handler requires.
type Access struct {
	Scope   Scope // of the token
	Cookies bool  // a link's cookie with the page's proof (see browser) may replace the token
	// WithoutProof accepts a cookie without the proof. It is meant for the page's own files,
	// which contain no secret.
	WithoutProof bool
	Public       bool // neither a token nor a cookie is required
}

// Handle adds a handler for a pattern of http.ServeMux. All guards of the package comment apply
// to its requests, except the guards for token, scope and rate if a.Public is true.
func (s *Server) Handle(pattern string, a Access, h http.Handler) {
	h = s.withBody(h)
	if !a.Public {
		h = s.authorize(a, h)
	}
	s.mux.Handle(pattern, h)
}

// Listen listens on the server's host and a port. Port 0 means any free port. The error wraps
// ErrInUse if the port is taken, and ErrNoToken if the server has no token and other machines
// could reach it.
func (s *Server) Listen(ctx context.Context, port int) (net.Listener, error) {
	addr := net.JoinHostPort(s.opt.Host, strconv.Itoa(port))
	lc := net.ListenConfig{KeepAliveConfig: keepAlive, Control: setUserTimeout}
	l, err := lc.Listen(ctx, "tcp", addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%w: another process listens on %s; choose another port, or 0 for any that is free", ErrInUse, addr)
	case err != nil:
		return nil, err
	}
	if ip := l.Addr().(*net.TCPAddr).IP; s.opt.Keys.Empty() && !ip.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("%w: %s; make one with glasstty token --file FILE and start with --token-file FILE", ErrNoToken, addr), l.Close())
	}
	return l, nil
}

// Serve serves the connections of l until Shutdown, and then returns nil.
func (s *Server) Serve(l net.Listener) error {
	limited := &connLimiter{l, s}
	var err error
	if s.opt.TLS != nil {
		err = s.http.ServeTLS(limited, "", "")
	} else {
		err = s.http.Serve(limited)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// RequiresToken reports whether the server has tokens, so that requests need one or, for some
// handlers, a link's cookie.
func (s *Server) RequiresToken() bool { return !s.opt.Keys.Empty() }

// Stopping returns a context that ends when Shutdown begins, for long-running handlers.
func (s *Server) Stopping() context.Context { return s.stopping }

// dropSession ends an MCP session because too many are open.
func (s *Server) dropSession(ss *mcp.ServerSession) {
	s.metrics.count(1, refusals, refusedClients)
	s.closeSession(ss)
}

// closeSession closes an MCP session in the background, because ss.Close waits for the session's calls.
func (s *Server) closeSession(ss *mcp.ServerSession) {
	go func() {
		if err := ss.Close(); err != nil {
			s.opt.Logger.Debug("close session", "err", err)
		}
	}()
}

// Shutdown ends the server: it closes idle connections, ends waiting calls with a reason, ends
// streams, then closes the listener and the other connections. When ctx ends, it closes the
// remaining connections without waiting for their requests.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	if s.opt.StopCalls != nil {
		s.opt.StopCalls()
	}
	// http.Server would wait for connections that have not sent a request yet, as if they had sent one.
	for _, conn := range s.conns.Idle() {
		conn.Close()
	}
	if s.mcp != nil {
		s.mcp.close(ctx)
	}
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = nil // a client that does not read is not a failure of the server
	}
	return errors.Join(err, s.http.Close())
}

// URL returns the URL at which clients on this machine reach the server that listens on l.
func (s *Server) URL(l net.Listener) string {
	addr := l.Addr().(*net.TCPAddr)
	host := s.opt.Host
	if host == "" || addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return s.origins.scheme + "://" + net.JoinHostPort(host, strconv.Itoa(addr.Port))
}

// toolLabel returns the name under which calls of a tool are counted: its own, or otherTool if it is unknown.
func (s *Server) toolLabel(name string) string {
	if _, ok := s.opt.Tools[name]; ok {
		return name
	}
	return otherTool
}

// ShutdownTimeout is the recommended time limit for Shutdown. It suffices to write the last answers.
const ShutdownTimeout = 800 * time.Millisecond
