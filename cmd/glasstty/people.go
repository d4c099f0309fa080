package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/shellquote"
	"github.com/glasstty/glasstty/session"
)

// pagePath is where the live page is served.
const pagePath = "/live/"

// people lets people watch a server's sessions and step in, over HTTP in a page or over the
// local socket in a terminal.
type people struct {
	page  *live.Server
	mgr   *session.Manager
	log   *slog.Logger
	audit *audit.Log // nil for no audit log

	mu  sync.Mutex        // guards what follows
	web *httpserve.Server // serves the page; nil until it is needed
	url string            // of web, for MCP
	end bool              // close was called

	failed chan error // receives the error of serve's server
}

// newPeople returns people for the sessions of mgr and of the fleet f, which may be nil. It
// does not serve HTTP yet.
func newPeople(mgr *session.Manager, log *slog.Logger, auditLog *audit.Log, f *fleetLink) *people {
	o := live.Options{Manager: mgr, Visitor: visitor, Logger: log, Audit: auditLog}
	if f != nil { // a nil *fleetLink would be a live.Fleet that is not nil
		o.Fleet = f
	}
	return &people{page: live.New(o), mgr: mgr, log: log, audit: auditLog, failed: make(chan error, 1)}
}

// visitor returns the sender of a request. A program in a session acts for the agent: it may
// watch, and may not act as a person.
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

// mount serves the page over HTTP to clients that may watch.
func (p *people) mount(h *httpserve.Server) {
	access := httpserve.Access{Scope: httpserve.ScopeWatch, Cookies: true}
	page := http.StripPrefix(pagePath[:len(pagePath)-1], p.page)
	for _, name := range live.Data() {
		h.Handle(pagePath+name, access, page)
	}
	access.WithoutProof = true
	h.Handle(pagePath, access, page)
	h.Handle("GET /{$}", access, http.RedirectHandler(pagePath, http.StatusSeeOther))
	context.AfterFunc(h.Stopping(), p.page.Close)
}

// local returns the HTTP handler of the socket: the page's connection, and new links.
func (p *people) local() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pagePath, http.StripPrefix(pagePath[:len(pagePath)-1], p.page))
	mux.HandleFunc("POST /link", p.serveLink)
	return mux
}

// serveLink answers with a new link: ?scope=watch or type.
func (p *people) serveLink(w http.ResponseWriter, r *http.Request) {
	inSession := within(r.Context())
	if inSession && r.URL.Query().Get("scope") != string(httpserve.ScopeWatch) {
		http.Error(w, live.ErrWithin.Error()+"; with --watch-only the link only lets a person watch", http.StatusForbidden)
		return
	}
	if err := p.open(); err != nil {
		http.Error(w, "no page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	by := audit.WithActor(r.Context(), audit.Actor{Via: "socket", Who: uidName(os.Getuid())})
	maker := "a person"
	if inSession {
		maker = "a session"
	}
	link, err := p.link(by, maker, r.URL.Query().Get("scope"), r.URL.Query().Get("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, link)
}

// link returns the page's address with a code that lets one browser in; see httpserve.Server.Link.
func (p *people) link(ctx context.Context, maker, scope, name string) (string, error) {
	scopes, err := httpserve.ParseScopes(scope)
	if err != nil {
		return "", err
	}
	if _, err := p.audit.Write(ctx, audit.Record{Event: "link.made", Args: map[string]any{"scope": scopes.String(), "name": name}}); err != nil {
		return "", err
	}
	base, err := url.Parse(p.url)
	if err != nil {
		return "", err
	}
	base.Path = p.web.Link(maker, name, scopes, time.Time{})
	return base.String(), nil
}

// personHint returns the hint that tells an agent how a person can type a secret unseen. It
// names the socket, because session ids are not unique between servers. In a fleet, node is
// the server's name, and every gateway's page and attach reach the session too; otherwise
// node is "".
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

// open makes sure that the page is served. A server without HTTP, such as a daemon with only a
// socket, serves it on a free port of this machine, for browsers with a link.
func (p *people) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end {
		return errors.New("the server ends")
	}
	if p.web != nil {
		return nil
	}
	secret, err := httpserve.NewToken(rand.Text() + rand.Text()) // not given to anyone: only links let browsers in
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

// serve serves h with the page.
func (p *people) serve(ctx context.Context, h *httpserve.Server, port int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.serveLocked(ctx, h, port, func(err error) { p.failed <- err })
}

// serveLocked serves h with the page. ended gets the error of its Serve.
func (p *people) serveLocked(ctx context.Context, h *httpserve.Server, port int, ended func(error)) error {
	p.mount(h)
	l, err := h.Listen(ctx, port)
	if err != nil {
		return err
	}
	p.web, p.url = h, h.URL(l)+"/mcp"
	go func() { ended(h.Serve(l)) }()
	return nil
}

// close ends the page and its server.
func (p *people) close() error {
	p.mu.Lock()
	p.end = true
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

// invitation is a line with a link to the page.
func (p *people) invitation() string {
	const to = "watch the sessions and step in: "
	if !p.web.RequiresToken() {
		return to + strings.TrimSuffix(p.url, "/mcp") + pagePath
	}
	link, err := p.link(context.Background(), "the server", string(httpserve.ScopeType), "")
	if err != nil {
		return fmt.Sprintf("no link to the live page: %v", err)
	}
	return fmt.Sprintf("%s%s (good once, for %v; another: glasstty link)", to, link, httpserve.LinkLifetime)
}
