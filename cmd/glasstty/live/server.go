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
	// maxConns is the maximum number of connections of all pages together. When one more opens,
	// the token with the most connections loses one; package share chooses which.
	maxConns = 256
	// maxMessage is the maximum size of one message, in bytes. JSON can make a paste six times as long.
	maxMessage = 8 << 20
)

// A Visitor is the sender of a request, and what the sender may do.
type Visitor struct {
	Person  session.Person
	MayType bool   // the visitor may type, pause, end and resize; if false, only watch
	Via     string // for the audit log: page, attach or fleet
	From    string // for the audit log: where the request comes from
	// Within reports that the visitor is a program in a session of this server, or of the gateway from which
	// the request comes. The program may watch but not type. Session is the ID of its session, or "" if that is
	// unknown. The program cannot watch this session: showing the screen there would change the screen again.
	Within  bool
	Session string

	tokenID string // Person.ID without the page's ID; pages with the same token share it
}

// typingError returns an error if v may only watch, and otherwise nil.
func (v Visitor) typingError() error {
	switch {
	case v.Within:
		return ErrWithin
	case !v.MayType:
		return errWatchOnly
	}
	return nil
}

// Options configure a Server. Manager and Visitor are required.
type Options struct {
	Manager *session.Manager
	// Visitor returns the sender of a request. On an error, the request gets status 401.
	Visitor func(*http.Request) (Visitor, error)
	Logger  *slog.Logger // nil for no log
	Audit   *audit.Log   // gets a record of each action; nil for no audit log
	Fleet   Fleet        // the pages of other servers; nil for none
	// WriteLimit is the time limit for sending one message to a page, default 10 seconds.
	// After it, the connection ends.
	WriteLimit time.Duration
}

// A Server is the http.Handler of the page. It is safe for concurrent use.
type Server struct {
	opt  Options
	mux  *http.ServeMux
	boot string          // identifies this run of the server
	ctx  context.Context // all connections end when it ends
	end  context.CancelFunc

	conns *share.Table[string, *conn] // by ID

	mu     sync.Mutex     // makes sure that served does not grow after Close has ended ctx
	served sync.WaitGroup // counts the connections
}

// New returns a Server. Close ends its connections.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.WriteLimit == 0 {
		o.WriteLimit = writeLimit
	}
	s := &Server{opt: o, mux: http.NewServeMux(), boot: rand.Text()}
	s.conns = share.New(maxConns, func(_ string, c *conn) { c.end(errDisplaced) })
	s.ctx, s.end = context.WithCancel(context.Background())
	for name, serve := range s.dataHandlers() {
		method := http.MethodGet
		if name == "act" {
			method = http.MethodPost
		}
		s.mux.HandleFunc(method+" /"+name, s.authenticate(s.route(serve)))
	}
	s.mux.Handle("GET /", s.authenticate(assets()))
	return s
}

// A visitorHandler serves a request from a visitor.
type visitorHandler func(http.ResponseWriter, *http.Request, Visitor)

// dataHandlers returns the handlers that show sessions or accept actions, by the names of their paths.
// These are all handlers except the one that serves the page's files.
func (s *Server) dataHandlers() map[string]visitorHandler {
	return map[string]visitorHandler{
		"ws": s.socket, "events": s.events, "act": s.post, "sessions": s.sessions,
		"lines": s.forSession(lines), "at": s.forSession(screenAt), "search": s.forSession(search), "inputs": s.forSession(inputs), "image": s.image,
		"timeline": s.forSession(timeline), "moment": s.forSession(moment), "nodes": s.nodes,
	}
}

// DataPaths returns the paths, relative to the page, that show sessions or accept actions. All other
// paths are files of the page, the same for all visitors.
func DataPaths() []string { return slices.Sorted(maps.Keys((*Server)(nil).dataHandlers())) }

// ServeHTTP serves the page, its assets and its connections.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// The page may load files only from this server and connect only to it, and other sites may not
	// frame the page. Even if program output were parsed as HTML, it could not load scripts.
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	s.mux.ServeHTTP(w, r)
}

// authenticate returns a handler that passes requests and their visitors to next. A request that
// Options.Visitor rejects gets status 401.
func (s *Server) authenticate(next visitorHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := s.opt.Visitor(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		next(w, r, v)
	}
}

// route returns a handler that forwards requests to the node that the parameter "node" names. It
// passes requests without that parameter to next, with the page's ID and name in the visitor.
func (s *Server) route(next visitorHandler) visitorHandler {
	return func(w http.ResponseWriter, r *http.Request, v Visitor) {
		if node := r.URL.Query().Get("node"); node != "" {
			if s.opt.Fleet == nil {
				http.Error(w, "this server is not in a fleet, so it cannot reach other nodes", http.StatusNotFound)
				return
			}
			s.opt.Fleet.Forward(w, r, v, node)
			return
		}
		v, err := v.identified(r)
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
	// agentName matches the names that the page uses for the agent. No person may use them.
	agentName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^\W*(the)?\W*agent\W*$`) })
)

// identified adds the ID of the page that sent r to v, because several pages may use one token, but
// only one page can hold the keyboard. If v has no name, it gets the name in r, if that is valid.
func (v Visitor) identified(r *http.Request) (Visitor, error) {
	q := r.URL.Query()
	v.tokenID = v.Person.ID
	if q.Has("me") {
		me := q.Get("me")
		if !pageID().MatchString(me) {
			return v, fmt.Errorf("invalid page ID me=%q (want 1 to 32 letters, digits and hyphens)", runes.Clip(me, maxShown))
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
	s.end()
	s.mu.Unlock()
	s.served.Wait()
}

// add adds a connection for v, who has sent r. The connection ends with r's context. If the cause of
// r's context is not context.Canceled, input that waits to be typed is cancelled too.
func (s *Server) add(r *http.Request, v Visitor, write func(context.Context, []byte) error) (*conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, errors.New("the server is stopping")
	}
	c := newConn(r.Context(), s, rand.Text(), v, write)
	owner := share.Owner{Name: v.tokenID, Source: v.Person.ID}
	if v.Within {
		owner.Source = "a session" // programs could invent page IDs to get more connections
	}
	if !s.conns.Add(c.id, c, owner) {
		c.end(nil)
		return nil, errDisplaced
	}
	s.served.Add(1)
	return c, nil
}

// forget removes a connection that has ended.
func (s *Server) forget(c *conn) {
	s.conns.Remove(c.id)
	s.served.Done()
}

// conn returns the connection with an ID. ok is false if there is none, or if v has not opened it.
func (s *Server) conn(id string, v Visitor) (c *conn, ok bool) {
	c, ok = s.conns.Get(id)
	return c, ok && c.visitor == v
}
