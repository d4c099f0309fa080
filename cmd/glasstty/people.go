package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/session"
)

// pagePath is where the live page is served.
const pagePath = "/live/"

// people lets people watch a server's sessions and step in: over HTTP, in a page,
// and over the local socket, in a terminal.
type people struct {
	page *live.Server
	web  *webServer // nil: there is no HTTP, and so no links
}

// newPeople returns people for the sessions of mgr, without HTTP.
func newPeople(mgr *session.Manager, log *slog.Logger) *people {
	return &people{page: live.New(live.Options{Manager: mgr, Visitor: visitor, Logger: log})}
}

// localKey marks the context of requests that came over the local socket, where
// only this user's processes get through.
type localKey struct{}

// visitor says who a request comes from.
func visitor(r *http.Request) (live.Visitor, error) {
	if r.Context().Value(localKey{}) != nil {
		return live.Visitor{Person: session.Person{ID: "local"}, Type: true}, nil
	}
	p := httpserve.PrincipalOf(r.Context())
	if p.ID == "" {
		return live.Visitor{}, live.ErrVisitor
	}
	v := live.Visitor{Person: session.Person{ID: p.ID, Name: p.Name}, Type: p.Scopes.Allow(httpserve.ScopeType)}
	if p.ID == v.Person.Name {
		v.Person.Name = "" // everybody on this machine
	}
	return v, nil
}

// mount serves the page over HTTP, for who may watch.
func (p *people) mount(h *httpserve.Server) {
	access := httpserve.Access{Scope: httpserve.ScopeWatch, Cookies: true}
	h.Handle(pagePath, access, http.StripPrefix(pagePath[:len(pagePath)-1], p.page))
	h.Handle("GET /{$}", access, http.RedirectHandler(pagePath, http.StatusSeeOther))
	context.AfterFunc(h.Stopping(), p.page.Close)
}

// local is what the socket serves to who speaks HTTP there: the page's connection,
// and new links.
func (p *people) local() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pagePath, http.StripPrefix(pagePath[:len(pagePath)-1], p.page))
	mux.HandleFunc("POST /link", p.serveLink)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), localKey{}, true)))
	})
}

// errNoPage is returned when a link is asked for and no page is served.
var errNoPage = errors.New("this server has no page: start glasstty mcp with --watch, or in the place of a daemon glasstty serve --replace")

// serveLink answers with a new link: ?scope=watch or type.
func (p *people) serveLink(w http.ResponseWriter, r *http.Request) {
	link, err := p.link(r.URL.Query().Get("scope"), r.URL.Query().Get("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, link)
}

// link returns the address of the page with a code that lets one browser in.
func (p *people) link(scope, name string) (string, error) {
	if p.web == nil {
		return "", errNoPage
	}
	scopes, err := httpserve.ParseScopes(scope)
	if err != nil {
		return "", err
	}
	path, err := p.web.http.Link(name, scopes, time.Time{})
	if err != nil {
		return "", err
	}
	base, err := url.Parse(p.web.url)
	if err != nil {
		return "", err
	}
	base.Path = path
	return base.String(), nil
}

// personHint tells an agent how a person can type what it is not to see.
func personHint(id string) string {
	return "a person can type it unseen: ask them to run glasstty attach " + id + ", then wait_for until=change"
}

// watch serves the page over HTTP at a free port of this machine, for who has a
// link, and prints one to w.
func (p *people) watch(ctx context.Context, w io.Writer, log *slog.Logger) error {
	secret, err := httpserve.NewToken(rand.Text() + rand.Text()) // that nobody is told: only links let in
	if err != nil {
		return err
	}
	keys, err := httpserve.NewKeyring("", log, secret)
	if err != nil {
		return err
	}
	h, err := httpserve.New(httpserve.Options{Host: defaultHost, Keys: keys, Logger: log})
	if err != nil {
		return err
	}
	p.mount(h)
	l, err := h.Listen(ctx, 0)
	if err != nil {
		return err
	}
	p.web = startHTTP(h, l)
	p.invite(w)
	return nil
}

// close ends what watch began.
func (p *people) close() {
	// What is left of it ends with the process.
	_ = p.web.close()
}

// invite prints a link to the page.
func (p *people) invite(w io.Writer) {
	if p.web.http.Open() {
		fmt.Fprintf(w, "watch the sessions and step in: %s\n", strings.TrimSuffix(p.web.url, "/mcp")+pagePath)
		return
	}
	link, err := p.link(string(httpserve.ScopeType), "")
	if err != nil {
		fmt.Fprintf(w, "no link to the live page: %v\n", err)
		return
	}
	fmt.Fprintf(w, "watch the sessions and step in: %s (good once, for %v; another: glasstty link)\n", link, httpserve.LinkLife)
}
