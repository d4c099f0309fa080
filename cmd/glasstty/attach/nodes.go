package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// Pages are the live pages that Watch shows: that of a server, and those of the nodes of
// its fleet.
type Pages struct {
	// Dial connects to the page of a node, "" for the server's own.
	Dial func(ctx context.Context, node string) (*live.Client, error)
	// Nodes returns the nodes, nil for a server that is in no fleet.
	Nodes func(ctx context.Context) ([]live.Node, error)
}

const (
	// nodesEvery is how often the nodes are listed.
	nodesEvery = 5 * time.Second
	// maxNodes is how many other nodes have their sessions shown.
	maxNodes = 100
)

// A news is an event of a node. One field is set in addition to node.
type news struct {
	node   string        // "" for the server itself
	client *live.Client  // the connection was made
	m      *live.Message // the message was received
	lost   error         // the connection was lost
	nodes  []live.Node   // the fleet's nodes were listed
}

// tell sends news to the wall, unless ctx ends first.
func (w *wall) tell(ctx context.Context, n news) {
	select {
	case w.heard <- n:
	case <-ctx.Done():
	}
}

// follow sends the messages of a node's page to the wall until the connection ends.
func (w *wall) follow(ctx context.Context, node string) {
	client, err := w.pages.Dial(ctx, node)
	if err != nil {
		w.tell(ctx, news{node: node, lost: err})
		return
	}
	defer client.Close()
	w.tell(ctx, news{node: node, client: client})
	for {
		m, err := client.Next(ctx)
		if err != nil {
			w.tell(ctx, news{node: node, lost: err})
			return
		}
		w.tell(ctx, news{node: node, m: m})
	}
}

// followNodes lists the nodes again and again, and follows each that can be reached.
func (w *wall) followNodes(ctx context.Context) {
	ended, followed := make(chan string), map[string]bool{}
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-ended:
			delete(followed, name)
			continue
		case <-look.C:
		}
		look.Reset(nodesEvery)
		nodes, err := w.pages.Nodes(ctx)
		if err != nil {
			continue // if the server is gone, follow reports it for the server's own page
		}
		if nodes == nil {
			return
		}
		w.tell(ctx, news{nodes: nodes})
		for _, n := range nodes {
			if n.Self || !n.CanConnect() || followed[n.Name] || len(followed) >= maxNodes {
				continue
			}
			followed[n.Name] = true
			w.run.Go(func() {
				w.follow(ctx, n.Name)
				select {
				case ended <- n.Name:
				case <-ctx.Done():
				}
			})
		}
	}
}

// nodeOf returns the node of a session, "" for the server itself.
func nodeOf(id string) string {
	node, _, ok := strings.Cut(id, "/")
	if !ok {
		return ""
	}
	return node
}

// hear handles news.
func (w *wall) hear(ctx context.Context, n news) error {
	switch {
	case n.m != nil:
		return w.got(ctx, n.node, n.m)
	case n.nodes != nil:
		return w.keepNodes(ctx, n.nodes)
	case n.lost != nil && n.node == "":
		return fmt.Errorf("%w: %w", ErrLost, n.lost)
	case n.lost != nil:
		delete(w.clients, n.node)
		return nil
	}
	// A new connection begins with a list of all sessions.
	w.clients[n.node] = n.client
	w.all = slices.DeleteFunc(w.all, func(f *live.Facts) bool { return nodeOf(f.ID) == n.node })
	w.chosen = max(min(w.chosen, len(w.all)-1), 0)
	if w.large != "" && nodeOf(w.large) == n.node {
		return w.watch(ctx, n.node, w.large)
	}
	return nil
}

// keepNodes removes the sessions of nodes that are no longer in the fleet.
func (w *wall) keepNodes(ctx context.Context, nodes []live.Node) error {
	w.silent = nil
	for _, n := range nodes {
		if n.Is == live.NodeUnreachable {
			w.silent = append(w.silent, n.Name)
		}
	}
	gone := func(f *live.Facts) bool {
		node := nodeOf(f.ID)
		return node != "" && w.clients[node] == nil &&
			!slices.ContainsFunc(nodes, func(n live.Node) bool { return n.Name == node && n.Is != live.NodeLost })
	}
	return w.remove(ctx, gone)
}

// remove removes sessions. If the chosen one is among them, its neighbour is chosen.
func (w *wall) remove(ctx context.Context, gone func(*live.Facts) bool) error {
	before := 0
	for i, f := range w.all {
		if i < w.chosen && gone(f) {
			before++
		}
	}
	w.all = slices.DeleteFunc(w.all, gone)
	w.chosen = max(min(w.chosen-before, len(w.all)-1), 0)
	if len(w.all) == 0 {
		w.view.lines, w.large, w.moved = nil, "", false
	}
	return w.choose(ctx, w.chosen)
}

// isAway reports whether the node of a session is not connected.
func (w *wall) isAway(f *live.Facts) bool { return w.clients[nodeOf(f.ID)] == nil }
