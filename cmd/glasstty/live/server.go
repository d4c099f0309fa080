package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
)

const (
	// maxConns bounds the connections of all pages together.
	maxConns = 256
	// maxMessage bounds one message from a page, in bytes: a paste of 1 MB is
	// up to six times as long in JSON.
	maxMessage = 8 << 20
)

// A Visitor is who a request comes from.
type Visitor struct {
	Person session.Person
	Type   bool   // may type, pause, end and resize; otherwise only watch
	Via    string // how he comes, for the audit log: page, attach
	// Within says that he is a program that runs in a session of this server, in
	// Session where that is known: he may look, not type, and not see his own screen,
	// which would change by being drawn.
	Within  bool
	Session string
}

// refused returns why v may not do what a person does.
func (v Visitor) refused() error {
	switch {
	case v.Within:
		return ErrWithin
	case !v.Type:
		return errWatch
	}
	return nil
}

// Options configure a Server. Manager and Visitor are required.
type Options struct {
	Manager *session.Manager
	// Visitor says who a request comes from; an error ends the request with 401.
	Visitor func(*http.Request) (Visitor, error)
	Logger  *slog.Logger // default: nothing is logged
	Audit   *audit.Log   // where is written what people do; nil for nowhere
	// WriteLimit is how long a page may take to read one message before its
	// connection ends, default 10 seconds.
	WriteLimit time.Duration
}

// A Server is the http.Handler of the page. It is safe for concurrent use.
type Server struct {
	opt  Options
	mux  *http.ServeMux
	boot string          // names this run of the server
	ctx  context.Context // ends all connections
	end  context.CancelFunc

	mu     sync.Mutex // guards what follows
	conns  map[string]*conn
	closed bool
	served sync.WaitGroup
}

// New returns a Server. Close ends its connections.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.WriteLimit == 0 {
		o.WriteLimit = writeLimit
	}
	s := &Server{opt: o, mux: http.NewServeMux(), boot: rand.Text(), conns: map[string]*conn{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.mux.HandleFunc("GET /ws", s.visited(s.socket))
	s.mux.HandleFunc("GET /events", s.visited(s.events))
	s.mux.HandleFunc("POST /act", s.visited(s.post))
	s.mux.HandleFunc("GET /sessions", s.visited(s.sessions))
	s.mux.HandleFunc("GET /lines", s.visited(s.lines))
	s.mux.HandleFunc("GET /at", s.visited(s.at))
	s.mux.HandleFunc("GET /search", s.visited(s.search))
	s.mux.HandleFunc("GET /inputs", s.visited(s.inputs))
	s.mux.Handle("GET /", s.visited(assets()))
	return s
}

// ServeHTTP serves the page, its assets and its connections.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Nothing but our own files and connection, and nobody may frame the page:
	// what a program shows is text to it, and text it stays.
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	s.mux.ServeHTTP(w, r)
}

// visited lets in whom Options.Visitor knows.
func (s *Server) visited(next func(http.ResponseWriter, *http.Request, Visitor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.opt.Visitor(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		if v, err = v.in(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next(w, r, v)
	}
}

// What a page may say of itself, in the parameters "me" and "as".
var (
	pageID   = regexp.MustCompile(`^[A-Za-z0-9-]{1,32}$`)
	pageName = regexp.MustCompile(`^[\pL\pN ._@-]{1,40}$`)
	// agentName is how the page calls the agent: nobody else is called so.
	agentName = regexp.MustCompile(`(?i)^\W*(the)?\W*agent\W*$`)
)

// in returns v as one browser of his: with one token several may come, and each
// holds the keyboard for itself. Who has no name may say one.
func (v Visitor) in(r *http.Request) (Visitor, error) {
	q := r.URL.Query()
	if q.Has("me") {
		me := q.Get("me")
		if !pageID.MatchString(me) {
			return v, fmt.Errorf("me is %q; allowed are up to 32 letters, digits and hyphens", runes.Clip(me, maxShown))
		}
		v.Person.ID += "/" + me
	}
	if as := q.Get("as"); v.Person.Name == "" && pageName.MatchString(as) && !agentName.MatchString(as) {
		v.Person.Name = as
	}
	return v, nil
}

// Close ends all connections and returns when they have ended.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.served.Wait()
}

// open adds a connection for v. It reports why there cannot be one more.
func (s *Server) open(v Visitor, write func(context.Context, []byte) error) (*conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errors.New("the server is stopping")
	case len(s.conns) >= maxConns:
		return nil, errors.New("too many pages are open; close one")
	}
	c := newConn(s, rand.Text(), v, write)
	s.conns[c.id] = c
	s.served.Add(1)
	return c, nil
}

// forget removes a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c.id)
	s.mu.Unlock()
	s.served.Done()
}

// conn returns the connection with this id, if v opened it.
func (s *Server) conn(id string, v Visitor) (*conn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.conns[id]
	return c, ok && c.who == v
}
