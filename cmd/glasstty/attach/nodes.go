package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// Pages gives Watch access to the live pages of a server and of the nodes of its fleet.
type Pages struct {
	// Dial connects to the page of a node, or to the server's own if node is "".
	Dial func(ctx context.Context, node string) (*live.Client, error)
	// Nodes returns the nodes of the fleet, or nil if the server is in none.
	Nodes func(ctx context.Context) ([]live.Node, error)
}

const (
	// nodesEvery is the interval at which the nodes are listed.
	nodesEvery = 5 * time.Second
	// maxNodes is the number of other nodes whose sessions are shown.
	maxNodes = 100
)

// tell makes the wall's loop call change, unless ctx ends first. The wall is the view of all
// sessions.
func (w *wall) tell(ctx context.Context, change func() error) {
	select {
	case w.changes <- change:
	case <-ctx.Done():
	}
}

// follow passes the messages of a node's page to the wall until the connection ends.
func (w *wall) follow(ctx context.Context, node string) {
	client, err := w.pages.Dial(ctx, node)
	if err != nil {
		w.tell(ctx, func() error { return w.lost(node, err) })
		return
	}
	defer client.Close()
	w.tell(ctx, func() error { return w.connected(ctx, node, client) })
	for {
		m, err := client.Next(ctx)
		if err != nil {
			w.tell(ctx, func() error { return w.lost(node, err) })
			return
		}
		w.tell(ctx, func() error { return w.got(ctx, node, m) })
	}
}

// followNodes lists the nodes at intervals, and follows each one that can be reached.
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
		w.tell(ctx, func() error { return w.keepNodes(ctx, nodes) })
		for _, n := range nodes {
			if n.Self || !n.CanConnect() || followed[n.Name] || len(followed) >= maxNodes {
				continue
			}
			followed[n.Name] = true
			w.followers.Go(func() {
				w.follow(ctx, n.Name)
				select {
				case ended <- n.Name:
				case <-ctx.Done():
				}
			})
		}
	}
}

// nodeOf returns the node in a session's id, or "" for the server itself.
func nodeOf(id string) string {
	node, _, ok := strings.Cut(id, "/")
	if !ok {
		return ""
	}
	return node
}

// lost handles a node's connection that has ended or could not be made.
func (w *wall) lost(node string, why error) error {
	if node == "" {
		return fmt.Errorf("%w: %w", ErrLost, why)
	}
	delete(w.clients, node)
	return nil
}

// connected handles a new connection to a node.
func (w *wall) connected(ctx context.Context, node string, client *live.Client) error {
	// A new connection begins with a list of all sessions.
	w.clients[node] = client
	w.all = slices.DeleteFunc(w.all, func(f *live.Facts) bool { return nodeOf(f.ID) == node })
	w.chosen = max(min(w.chosen, len(w.all)-1), 0)
	if w.large != "" && nodeOf(w.large) == node {
		return w.watch(ctx, node, w.large)
	}
	return nil
}

// keepNodes handles a new list of nodes: it removes the sessions of nodes that are no longer
// in the fleet, and sets w.silent.
func (w *wall) keepNodes(ctx context.Context, nodes []live.Node) error {
	w.silent = nil
	for _, n := range nodes {
		if n.Is == live.NodeUnreachable {
			w.silent = append(w.silent, n.Name)
		}
	}
	removed := func(f *live.Facts) bool {
		node := nodeOf(f.ID)
		return node != "" && w.clients[node] == nil &&
			!slices.ContainsFunc(nodes, func(n live.Node) bool { return n.Name == node && n.Is != live.NodeLost })
	}
	return w.remove(ctx, removed)
}

// remove removes the sessions for which match returns true. If the chosen one is among them,
// its neighbour is chosen.
func (w *wall) remove(ctx context.Context, match func(*live.Facts) bool) error {
	before := 0
	for i, f := range w.all {
		if i < w.chosen && match(f) {
			before++
		}
	}
	w.all = slices.DeleteFunc(w.all, match)
	w.chosen = max(min(w.chosen-before, len(w.all)-1), 0)
	if len(w.all) == 0 {
		w.view.lines, w.large, w.moved = nil, "", false
	}
	return w.choose(ctx, w.chosen)
}

// isAway reports whether the node of a session is not connected.
func (w *wall) isAway(f *live.Facts) bool { return w.clients[nodeOf(f.ID)] == nil }
