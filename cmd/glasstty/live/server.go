package live

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/internal/share"
	"github.com/glasstty/glasstty/session"
)

const (
	// maxConns bounds the connections of all pages together. When there are more,
	// whoever has the most loses one, see package share.
	maxConns = 256
	// maxMessage bounds one message from a page, in bytes: a paste of 1 MB is
	// up to six times as long in JSON.
	maxMessage = 8 << 20
)

// A Visitor is who a request comes from.
type Visitor struct {
	Person session.Person
	Type   bool   // may type, pause, end and resize; otherwise only watch
	Via    string // how he comes, for the audit log: page, attach, fleet
	From   string // where from, for the audit log
	// Within says that he is a program that runs in a session of this server, in
	// Session where that is known: he may look, not type, and not see his own screen,
	// which would change by being drawn.
	Within  bool
	Session string

	token string // the Person's id, of all his browsers
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
	Fleet   Fleet        // the pages of other servers; nil for none
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

	open *share.Table[*conn]

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
	s.open = share.New(maxConns, func(c *conn) { c.end(errDisplaced) })
	s.ctx, s.end = context.WithCancel(context.Background())
	for name, serve := range s.data() {
		method := http.MethodGet
		if name == "act" {
			method = http.MethodPost
		}
		s.mux.HandleFunc(method+" /"+name, s.visited(s.here(serve)))
	}
	s.mux.Handle("GET /", s.visited(assets()))
	return s
}

// A visitedFunc serves a request of somebody who may come in.
type visitedFunc func(http.ResponseWriter, *http.Request, Visitor)

// data returns what is served in addition to the page's files, by its name.
func (s *Server) data() map[string]visitedFunc {
	return map[string]visitedFunc{
		"ws": s.socket, "events": s.events, "act": s.post, "sessions": s.sessions,
		"lines": s.lines, "at": s.at, "search": s.search, "inputs": s.inputs, "image": s.image,
		"timeline": s.timeline, "moment": s.moment, "nodes": s.nodes,
	}
}

// Data returns the names below the page's path under which a Server shows sessions or
// lets somebody act. All other names are files of the page, the same for everybody.
func Data() []string { return slices.Sorted(maps.Keys((*Server)(nil).data())) }

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
func (s *Server) visited(next visitedFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.opt.Visitor(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		next(w, r, v)
	}
}

// here serves a request, or has the node serve it whose name is the parameter "node".
func (s *Server) here(next visitedFunc) visitedFunc {
	return func(w http.ResponseWriter, r *http.Request, v Visitor) {
		if node := r.URL.Query().Get("node"); node != "" {
			s.forward(w, r, v, node)
			return
		}
		v, err := v.in(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		next(w, r, v)
	}
}

// The forms of the parameters "me" and "as", by which a page identifies itself.
var (
	pageID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]{1,32}$`) })
	pageName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN ._@-]{1,40}$`) })
	// agentName is how the page calls the agent: nobody else is called so.
	agentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\W*(the)?\W*agent\W*$`) })
)

// in returns v as one browser of his: with one token several may come, and each
// holds the keyboard for itself. Who has no name may say one.
func (v Visitor) in(r *http.Request) (Visitor, error) {
	q := r.URL.Query()
	v.token = v.Person.ID
	if q.Has("me") {
		me := q.Get("me")
		if !pageID().MatchString(me) {
			return v, fmt.Errorf("me is %q; allowed are up to 32 letters, digits and hyphens", runes.Clip(me, maxShown))
		}
		v.Person.ID += "/" + me
	}
	if as := q.Get("as"); v.Person.Name == "" && pageName().MatchString(as) && !agentName().MatchString(as) {
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

// add adds a connection for v, who has sent r. The error is why there cannot be one
// more. It ends with r's context, and with what it types when that has another cause
// than the end of its connection.
func (s *Server) add(r *http.Request, v Visitor, write func(context.Context, []byte) error) (*conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the server is stopping")
	}
	c := newConn(r.Context(), s, rand.Text(), v, write)
	owner := share.Owner{Name: v.token, Source: v.Person.ID}
	if v.Within {
		owner.Source = "a session" // whatever browser it says that it is
	}
	if !s.open.Add(c, owner) {
		c.end(nil)
		return nil, errDisplaced
	}
	s.conns[c.id] = c
	s.served.Add(1)
	return c, nil
}

// forget removes a connection that has ended.
func (s *Server) forget(c *conn) {
	s.open.Remove(c)
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
