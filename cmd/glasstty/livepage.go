package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/shellquote"
	"github.com/glasstty/glasstty/session"
)

// pagePath is the path of the live page.
const pagePath = "/live/"

// A livePage is a server's live page: people watch its sessions and step in, with a browser over
// HTTP, or with glasstty attach over the local socket.
type livePage struct {
	page  *live.Server
	mgr   *session.Manager
	log   *slog.Logger
	audit *audit.Log // nil for no audit log

	mu     sync.Mutex        // guards web, url and closed
	web    *httpserve.Server // serves the page; nil before serveLocked
	url    string            // the address of web; "" before serveLocked
	closed bool              // close was called

	failed chan error // gets the error of the HTTP server that serve has started, when that server ends
}

// newLivePage returns the page of the sessions of mgr and of the fleet f, which may be nil. The page
// is served over HTTP after serve or ensureServed.
func newLivePage(mgr *session.Manager, log *slog.Logger, auditLog *audit.Log, f *fleetLink) *livePage {
	o := live.Options{Manager: mgr, Visitor: visitor, Logger: log, Audit: auditLog}
	if f != nil { // a nil *fleetLink would be a live.Fleet that is not nil
		o.Fleet = f
	}
	return &livePage{page: live.New(o), mgr: mgr, log: log, audit: auditLog, failed: make(chan error, 1)}
}

// visitor returns the sender of a request, or live.ErrVisitor if the sender is unknown. A program in a
// session may watch but not type, because it acts for the agent, not for a person.
func visitor(r *http.Request) (live.Visitor, error) {
	if v, ok := r.Context().Value(visitorKey{}).(live.Visitor); ok {
		return v, nil
	}
	p := httpserve.PrincipalOf(r.Context())
	if p.ID == "" {
		return live.Visitor{}, live.ErrVisitor
	}
	v := live.Visitor{Person: session.Person{ID: p.ID, Name: p.Name}, MayType: p.Scopes.Allows(httpserve.ScopeType), Via: "page"}
	if v.MayType && p.Within() {
		v.MayType, v.Within = false, true
	}
	if p.ID == v.Person.Name {
		v.Person.Name = "" // a server without tokens does not know the person
	}
	return v, nil
}

// mount adds the page to h, for clients that may watch. When h stops, the page is closed.
func (p *livePage) mount(h *httpserve.Server) {
	access := httpserve.Access{Scope: httpserve.ScopeWatch, Cookies: true}
	page := http.StripPrefix(pagePath[:len(pagePath)-1], p.page)
	for _, name := range live.DataPaths() {
		h.Handle(pagePath+name, access, page)
	}
	access.WithoutProof = true
	h.Handle(pagePath, access, page)
	h.Handle("GET /{$}", access, http.RedirectHandler(pagePath, http.StatusSeeOther))
	context.AfterFunc(h.Stopping(), p.page.Close)
}

// socketHandler returns the handler for the local socket. It serves the page and makes links.
func (p *livePage) socketHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pagePath, http.StripPrefix(pagePath[:len(pagePath)-1], p.page))
	mux.HandleFunc("POST /link", p.serveLink)
	return mux
}

// serveLink serves a new link: ?name=&scope=. With scope=type, people can type; otherwise they can only
// watch. A program in a session gets an error for scope=type.
func (p *livePage) serveLink(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	scope, maker := httpserve.ScopeWatch, "a person"
	if q.Get("scope") == string(httpserve.ScopeType) {
		scope = httpserve.ScopeType
	}
	if within(r.Context()) {
		if scope != httpserve.ScopeWatch {
			http.Error(w, live.ErrWithin.Error()+"; with --watch-only the link only lets a person watch", http.StatusForbidden)
			return
		}
		maker = "a session"
	}
	if err := p.ensureServed(); err != nil {
		http.Error(w, "no page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	by := audit.WithActor(r.Context(), audit.Actor{Via: "socket", Who: uidName(os.Getuid())})
	link, err := p.newLink(by, maker, scope, q.Get("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, link)
}

// newLink returns the page's address with a code that lets one browser in (see httpserve.Server.Link). It
// first records the link, without the code, in the audit log.
func (p *livePage) newLink(ctx context.Context, maker string, scope httpserve.Scope, name string) (string, error) {
	if _, err := p.audit.Write(ctx, audit.Record{Event: "link.made", Args: map[string]any{"scope": string(scope), "name": name}}); err != nil {
		return "", err
	}
	return p.url + p.web.Link(maker, name, httpserve.Scopes{scope}, time.Time{}), nil
}

// personHint returns a function that explains to an agent how a person can type a secret into a
// session unseen. The hint names the socket, because several servers may have a session with the same
// ID. node is the server's name in its fleet, or "" if it is in none.
func personHint(socket, node string) func(id string) string {
	if abs, err := filepath.Abs(socket); err == nil {
		socket = abs // the person's working directory may differ
	}
	at := "--socket " + shellquote.Word(socket)
	return func(id string) string {
		command := "glasstty attach " + at + " " + id
		if node != "" {
			command = fmt.Sprintf("glasstty attach %s/%s (on %s itself with %s)", node, id, node, at)
		}
		return fmt.Sprintf("a person can type it unseen: ask them to run %s, or to open the live page (glasstty link); then wait_for until=change", command)
	}
}

// ensureServed makes sure that the page is served over HTTP. If the server has only a socket,
// ensureServed serves the page on a free port of this machine, to browsers with a link.
func (p *livePage) ensureServed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errors.New("the server is stopping")
	}
	if p.web != nil {
		return nil
	}
	secret, err := httpserve.NewToken(rand.Text() + rand.Text()) // nobody gets this token: only links let browsers in
	if err != nil {
		return err
	}
	keys, err := httpserve.NewKeyring("", p.log, secret)
	if err != nil {
		return err
	}
	h, err := httpserve.New(httpserve.Options{Host: defaultHost, Keys: keys, Logger: p.log, Audit: p.audit, Within: p.mgr.AllWithin})
	if err != nil {
		return err
	}
	return p.serveLocked(context.Background(), h, 0, func(err error) {
		if err != nil {
			p.log.Warn("live page", "err", err)
		}
	})
}

// serve starts serving h, with the page, on a port. p.failed gets the result of h.Serve.
func (p *livePage) serve(ctx context.Context, h *httpserve.Server, port int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.serveLocked(ctx, h, port, func(err error) { p.failed <- err })
}

// serveLocked starts serving h, with the page, on a port. It calls ended with the result of h.Serve.
func (p *livePage) serveLocked(ctx context.Context, h *httpserve.Server, port int, ended func(error)) error {
	p.mount(h)
	l, err := h.Listen(ctx, port)
	if err != nil {
		return err
	}
	p.web, p.url = h, h.URL(l)
	go func() { ended(h.Serve(l)) }()
	return nil
}

// close closes the page and shuts down the HTTP server, if there is one.
func (p *livePage) close() error {
	p.mu.Lock()
	p.closed = true
	web := p.web
	p.mu.Unlock()
	p.page.Close()
	if web == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), httpserve.ShutdownTimeout)
	defer cancel()
	return web.Shutdown(ctx)
}

// linkNotice returns a line with a link to the page (the address, if no token is needed) or the reason for none.
func (p *livePage) linkNotice() string {
	const to = "watch the sessions and step in: "
	if !p.web.RequiresToken() {
		return to + p.url + pagePath
	}
	link, err := p.newLink(context.Background(), "the server", httpserve.ScopeType, "")
	if err != nil {
		return fmt.Sprintf("no link to the live page: %v", err)
	}
	return fmt.Sprintf("%s%s (good once, for %v; another: glasstty link)", to, link, httpserve.LinkLifetime)
}
