package attach

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/cmd/glasstty/live"
)

// A Dialer connects to the live pages of a server and of the nodes of its fleet.
type Dialer struct {
	// Dial connects to the page of a node, or to the server's own page if node is "".
	Dial func(ctx context.Context, node string) (*live.Client, error)
	// Nodes returns the nodes of the fleet, or nil if the server is not in a fleet.
	Nodes func(ctx context.Context) ([]live.Node, error)
}

const (
	// nodesInterval is the interval at which the nodes are listed.
	nodesInterval = 5 * time.Second
	// maxNodes is the maximum number of other nodes whose sessions are shown.
	maxNodes = 100
)

// post waits until loop takes change, which loop then calls. If ctx ends first, post drops change.
func (d *dashboard) post(ctx context.Context, change func() error) {
	select {
	case d.changes <- change:
	case <-ctx.Done():
	}
}

// follow connects to a node's page and passes the page's messages to loop until the connection ends.
func (d *dashboard) follow(ctx context.Context, node string) {
	client, err := d.dialer.Dial(ctx, node)
	if err != nil {
		d.post(ctx, func() error { return d.lost(node, err) })
		return
	}
	defer client.Close()
	d.post(ctx, func() error { return d.connected(ctx, node, client) })
	for {
		m, err := client.Next(ctx)
		if err != nil {
			d.post(ctx, func() error { return d.lost(node, err) })
			return
		}
		d.post(ctx, func() error { return d.handle(ctx, node, m) })
	}
}

// followNodes lists the nodes at intervals. It calls follow for each node that can be reached, up to maxNodes,
// but not for the server itself. It returns when ctx ends, or if the server is in no fleet.
func (d *dashboard) followNodes(ctx context.Context) {
	ended, followed := make(chan string), map[string]bool{}
	list := time.NewTimer(0)
	defer list.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-ended:
			delete(followed, name)
			continue
		case <-list.C:
		}
		list.Reset(nodesInterval)
		nodes, err := d.dialer.Nodes(ctx)
		if err != nil {
			continue // if the server is gone, follow reports it for the server's own page
		}
		if nodes == nil {
			return
		}
		d.post(ctx, func() error { return d.updateNodes(ctx, nodes) })
		for _, n := range nodes {
			if n.Self || !n.CanConnect() || followed[n.Name] || len(followed) >= maxNodes {
				continue
			}
			followed[n.Name] = true
			d.followers.Go(func() {
				d.follow(ctx, n.Name)
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

// lost handles a connection to a node, or to the server itself, that has ended or could not be made.
func (d *dashboard) lost(node string, why error) error {
	if node == "" {
		return fmt.Errorf("%w: %w", ErrLost, why)
	}
	delete(d.clients, node)
	return nil
}

// connected handles a new connection to a node.
func (d *dashboard) connected(ctx context.Context, node string, client *live.Client) error {
	d.clients[node] = client
	// Drop what is known about the node's sessions: the first messages describe all of them.
	d.all = slices.DeleteFunc(d.all, func(f *live.Facts) bool { return nodeOf(f.ID) == node })
	d.chosen = max(min(d.chosen, len(d.all)-1), 0)
	if d.watched != "" && nodeOf(d.watched) == node {
		return d.watch(ctx, node, d.watched)
	}
	return nil
}

// updateNodes handles a new list of nodes. It sets d.unreachable, and removes the sessions of nodes that
// have left the fleet or are lost. It keeps sessions of nodes to which there is still a connection.
func (d *dashboard) updateNodes(ctx context.Context, nodes []live.Node) error {
	d.unreachable = nil
	for _, n := range nodes {
		if n.State == live.NodeUnreachable {
			d.unreachable = append(d.unreachable, n.Name)
		}
	}
	removed := func(f *live.Facts) bool {
		node := nodeOf(f.ID)
		return node != "" && d.clients[node] == nil &&
			!slices.ContainsFunc(nodes, func(n live.Node) bool { return n.Name == node && n.State != live.NodeLost })
	}
	return d.remove(ctx, removed)
}

// remove removes the sessions for which match returns true. If it removes the chosen session, it chooses
// the session after it, or the last one if there is none after it.
func (d *dashboard) remove(ctx context.Context, match func(*live.Facts) bool) error {
	before := 0
	for i, f := range d.all {
		if i < d.chosen && match(f) {
			before++
		}
	}
	d.all = slices.DeleteFunc(d.all, match)
	d.chosen = max(min(d.chosen-before, len(d.all)-1), 0)
	if len(d.all) == 0 {
		d.view.lines, d.watched, d.moved = nil, "", false
	}
	return d.choose(ctx, d.chosen)
}

// isUnreachable reports whether the node of a session is not connected.
func (d *dashboard) isUnreachable(f *live.Facts) bool { return d.clients[nodeOf(f.ID)] == nil }
