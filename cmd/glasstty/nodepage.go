package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/httpserve"
	"github.com/glasstty/glasstty/internal/share"
	"github.com/glasstty/glasstty/session"
)

// A guest is who a stream from a gateway is for, as the gateway tells the node.
type guest struct {
	ID     string `json:"id"`
	Name   string `json:"name,omitempty"`
	Type   bool   `json:"type,omitempty"`   // may type, or only watch
	Within bool   `json:"within,omitempty"` // a program in a session of the gateway
	Via    string `json:"via"`              // how he came to the gateway
}

// guestKey is the context's key of the live.Visitor of a stream.
type guestKey struct{}

// visitor returns the guest of a gateway as the node's page knows him.
func (g guest) visitor(gateway string) live.Visitor {
	return live.Visitor{
		Person: session.Person{ID: gateway + "/" + g.ID, Name: g.Name},
		Type:   g.Type && !g.Within, Within: g.Within,
		Via: "fleet", From: "gateway " + gateway + ", " + g.Via,
	}
}

// A guestConn is a stream from a gateway.
type guestConn struct {
	net.Conn
	who live.Visitor
}

// A nodePage serves a server's page to its gateways: each stream is a connection that
// speaks HTTP.
type nodePage struct {
	streams *handedOver
	web     *http.Server
	log     *slog.Logger
}

// newNodePage returns a nodePage that begins to serve.
func newNodePage(page http.Handler, log *slog.Logger) *nodePage {
	p := &nodePage{log: log, streams: newHandedOver(&net.UnixAddr{Name: "fleet", Net: "unix"})}
	p.web = &http.Server{
		Handler: page, ReadHeaderTimeout: httpserve.MaxHeaderTime, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, guestKey{}, conn.(*guestConn).who)
		},
	}
	go func() {
		if err := p.web.Serve(p.streams); err != nil && !errors.Is(err, http.ErrServerClosed) {
			log.Warn("fleet: the page", "err", err)
		}
	}()
	return p
}

// serve serves a stream.
func (p *nodePage) serve(conn net.Conn, gateway string, hello []byte) {
	var g guest
	if err := json.Unmarshal(hello, &g); err != nil || g.ID == "" {
		p.log.Warn("fleet: a gateway does not say for whom it opens a stream", "gateway", gateway)
		_ = conn.Close() // a pipe always closes
		return
	}
	p.streams.give(&guestConn{conn, g.visitor(gateway)})
}

// close ends all streams.
func (p *nodePage) close() {
	if err := p.web.Close(); err != nil {
		p.log.Debug("fleet: the page", "err", err)
	}
}

// withheld are the headers of a request that are for the gateway alone.
var withheld = []string{"Authorization", "Cookie", "Glasstty-Proof", "Proxy-Authorization"}

// Forward implements live.Fleet. The page of a node serves this server's own visitors, and
// passes on nothing for those of its gateways.
func (l *fleetLink) Forward(w http.ResponseWriter, r *http.Request, v live.Visitor, node string) {
	if _, ok := r.Context().Value(guestKey{}).(live.Visitor); ok {
		http.Error(w, "a node does not pass on what comes from a gateway", http.StatusForbidden)
		return
	}
	if l.Runs() && node == l.name {
		l.page.web.Handler.ServeHTTP(w, atNode(r))
		return
	}
	hello, err := json.Marshal(guest{ID: v.Person.ID, Name: v.Person.Name, Type: v.Type, Within: v.Within, Via: v.Via})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	owner := share.Owner{Name: v.Person.ID, Source: r.URL.Query().Get("me")}
	if v.Within {
		owner.Source = "a session" // whatever page it says that it is
	}
	ctx := fleet.WithOwner(limited(r.Context()), owner)
	proxy := httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host = "http", p.In.Host
			for _, name := range withheld {
				p.Out.Header.Del(name)
			}
		},
		Transport: &http.Transport{
			DisableKeepAlives: true, // a stream is of one visitor
			DialContext: func(context.Context, string, string) (net.Conn, error) {
				return l.member.Dial(ctx, node, hello)
			},
		},
		ErrorLog:     slog.NewLogLogger(l.log.Handler(), slog.LevelDebug),
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) { notForwarded(w, err) },
	}
	proxy.ServeHTTP(w, atNode(r))
}

// atNode returns a request as its node gets it: without the parameters for the gateway.
func atNode(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	q := out.URL.Query()
	q.Del("node")
	q.Del("proof")
	out.URL.RawQuery = q.Encode()
	return out
}

// notForwarded says why a node has not served a request.
func notForwarded(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	switch {
	case errors.Is(err, fleet.ErrNotAllowed):
		status = http.StatusForbidden
	case errors.Is(err, fleet.ErrNoHost):
		status = http.StatusNotFound
	}
	http.Error(w, err.Error(), status)
}

// A roster is what nodes have answered. It is safe for concurrent use.
type roster struct {
	mu    sync.Mutex // held while they are asked
	at    time.Time
	nodes []nodeLine
}

// rosterLimit is how long it may take to ask all nodes.
const rosterLimit = 5 * time.Second

// look returns the nodes, which are asked at most every watchEvery.
func (r *roster) look(ctx context.Context, m *fleet.Member) ([]nodeLine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && time.Since(r.at) < watchEvery {
		return r.nodes, nil
	}
	// Others wait for the same answer, though this one may go.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rosterLimit)
	defer cancel()
	nodes, err := nodeLines(ctx, m, "")
	if errors.Is(err, fleet.ErrRefused) {
		nodes, err = nil, nil // a node that is no gateway
	}
	if err == nil {
		r.nodes, r.at = nodes, time.Now()
	}
	return nodes, err
}

// Nodes implements live.Fleet.
func (l *fleetLink) Nodes(ctx context.Context) ([]live.Node, error) {
	lines, err := l.roster.look(ctx, l.member)
	if err != nil {
		return nil, err
	}
	list := []live.Node{}
	for _, n := range lines {
		self := l.Runs() && n.Name == l.name
		if !self && !l.Allowed(ctx, n.Name) {
			continue
		}
		list = append(list, live.Node{Name: n.Name, Is: n.Is, Self: self, Sessions: n.Sessions, Capacity: n.Capacity, About: aboutNode(n.State)})
	}
	return list, nil
}

// aboutNode returns a node's version and labels in a line.
func aboutNode(s fleet.State) string {
	words := []string{"glasstty " + plain(s.Version)}
	for _, key := range slices.Sorted(maps.Keys(s.Labels)) {
		words = append(words, plain(key+"="+s.Labels[key]))
	}
	return strings.Join(words, " ")
}

// pageOf returns what the page of a server needs of its fleet, nil for a server in none.
func (l *fleetLink) pageOf() live.Fleet {
	if l == nil {
		return nil
	}
	return l
}
