package main

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/internal/share"
	"github.com/glasstty/glasstty/session"
)

// A gatewayVisitor is the visitor for whom a gateway opens a stream. The gateway sends it to the node
// as JSON.
type gatewayVisitor struct {
	ID      string `json:"id"`               // Visitor.Person.ID at the gateway
	Name    string `json:"name,omitempty"`   // Visitor.Person.Name at the gateway
	MayType bool   `json:"type,omitempty"`   // otherwise the visitor may only watch
	Within  bool   `json:"within,omitempty"` // the visitor is a program in a session of the gateway
	Via     string `json:"via"`              // Visitor.Via at the gateway
}

// viaFleet is the Visitor.Via of visitors that come from a gateway.
const viaFleet = "fleet"

// visitor returns the gateway's visitor as a visitor of the node's page.
func (g gatewayVisitor) visitor(gateway string) live.Visitor {
	return live.Visitor{
		Person:  session.Person{ID: gateway + "/" + g.ID, Name: g.Name},
		MayType: g.MayType && !g.Within, Within: g.Within,
		Via: viaFleet, From: "gateway " + gateway + ", " + g.Via,
	}
}

// serveGateway serves the page on a stream from a gateway. The stream carries HTTP.
func (l *fleetLink) serveGateway(conn net.Conn, gateway string, hello []byte) {
	var g gatewayVisitor
	if err := json.Unmarshal(hello, &g); err != nil || g.ID == "" {
		l.log.Warn("fleet: invalid visitor in a gateway's stream", "gateway", gateway, "err", err)
		_ = conn.Close() // conn is a net.Pipe, whose Close cannot fail
		return
	}
	handOver(l.page, conn, conn, g.visitor(gateway))
}

// Forward implements live.Fleet. Requests that come from a gateway are not forwarded again.
func (l *fleetLink) Forward(w http.ResponseWriter, r *http.Request, v live.Visitor, node string) {
	if v.Via == viaFleet {
		http.Error(w, "a request that came through a gateway cannot be forwarded again", http.StatusForbidden)
		return
	}
	if l.RunsPrograms() && node == l.name {
		l.page.Handler.ServeHTTP(w, withoutGatewayParams(r))
		return
	}
	hello, err := json.Marshal(gatewayVisitor{ID: v.Person.ID, Name: v.Person.Name, MayType: v.MayType, Within: v.Within, Via: v.Via})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	owner := share.Owner{Name: v.Person.ID, Source: r.URL.Query().Get("me")}
	if v.Within {
		owner.Source = "a session" // programs could invent page IDs to get more streams
	}
	err = live.Forward(w, r, node, func() (net.Conn, error) { return l.member.Dial(r.Context(), node, owner, hello) })
	if err != nil {
		writeForwardError(w, err)
	}
}

// withoutGatewayParams returns a copy of r without the query parameters that only the gateway needs.
func withoutGatewayParams(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	q := out.URL.Query()
	q.Del("node")
	q.Del("proof")
	out.URL.RawQuery = q.Encode()
	return out
}

// writeForwardError answers a request that could not be forwarded to a node.
func writeForwardError(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	switch {
	case errors.Is(err, fleet.ErrNotAllowed):
		status = http.StatusForbidden
	case errors.Is(err, fleet.ErrNoHost):
		status = http.StatusNotFound
	}
	http.Error(w, err.Error(), status)
}

// A roster caches the nodes of a fleet. It is safe for concurrent use.
type roster struct {
	mu    sync.Mutex // guards at and nodes, and is held while the nodes are asked
	at    time.Time  // when the nodes were last asked without an error; zero before that
	nodes []fleet.Node
}

// rosterLimit is the time limit for asking all nodes.
const rosterLimit = 5 * time.Second

// get returns the nodes. If the last answers are older than askInterval, it asks the nodes again.
func (r *roster) get(ctx context.Context, m *fleet.Member) ([]fleet.Node, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.at.IsZero() && time.Since(r.at) < askInterval {
		return r.nodes, nil
	}
	// Other requests wait for the same answers, so the end of this request must not cancel asking.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rosterLimit)
	defer cancel()
	nodes, err := askNodes(ctx, m, "")
	if errors.Is(err, fleet.ErrRefused) {
		nodes, err = nil, nil // only gateways may ask, and this server is a node
	}
	if err == nil {
		r.nodes, r.at = nodes, time.Now()
	}
	return nodes, err
}

// Nodes implements live.Fleet.
func (l *fleetLink) Nodes(ctx context.Context) ([]live.Node, error) {
	nodes, err := l.roster.get(ctx, l.member)
	if err != nil {
		return nil, err
	}
	list := []live.Node{}
	for _, n := range nodes {
		self := l.RunsPrograms() && n.Name == l.name
		if !self && !l.member.Allowed(ctx, n.Name) {
			continue
		}
		list = append(list, live.Node{Name: n.Name, State: stateWord(n), Self: self, Sessions: n.Sessions, Capacity: n.Capacity, About: aboutNode(n.State)})
	}
	return list, nil
}

// aboutNode returns a node's version and labels on one line.
func aboutNode(s fleet.State) string {
	return strings.TrimSpace("glasstty " + plain(s.Version) + " " + plainLabels(s))
}
