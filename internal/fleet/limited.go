package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/internal/share"
)

// hostsKey is the context key for a string: the hosts that a call is limited to.
type hostsKey struct{}

// WithHosts limits the calls of a context to hosts: a name, a pattern or labels, or "" for
// no limit. The nodes check the limit too.
func WithHosts(ctx context.Context, hosts string) context.Context {
	return context.WithValue(ctx, hostsKey{}, hosts)
}

// hostsOf returns the hosts set by WithHosts.
func hostsOf(ctx context.Context) string {
	hosts, _ := ctx.Value(hostsKey{}).(string)
	return hosts
}

// ownerKey is the context key for a share.Owner: the owner of the streams opened.
type ownerKey struct{}

// WithOwner sets the owner of the streams that are opened with a context. When this member
// or the node has too many streams, the owner with the most loses one.
func WithOwner(ctx context.Context, o share.Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, o)
}

// ownerOf returns the owner set by WithOwner.
func ownerOf(ctx context.Context) share.Owner {
	o, _ := ctx.Value(ownerKey{}).(share.Owner)
	return o
}

// Allowed reports whether calls of a context may be made to a node.
func (m *Member) Allowed(ctx context.Context, host string) bool {
	return m.Known(host).allowed(hostsOf(ctx)) == nil
}

// Known returns the last known state of a node. An unknown node has left the fleet, and counts as
// lost.
func (m *Member) Known(host string) Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[host]; k != nil {
		return *k
	}
	return Node{State: State{Name: host}, awaySince: time.Unix(0, 0)}
}

// allowed returns an error if a call that is limited to hosts may not be made to the node.
func (s State) allowed(hosts string) error {
	if hosts == "" || Fits(hosts, s) {
		return nil
	}
	return fmt.Errorf("%w: the token of this client is limited to the hosts %q, which do not include %q", ErrNotAllowed, hosts, s.Name)
}
