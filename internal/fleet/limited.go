package fleet

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/internal/share"
)

// hostsKey is the context's key of a string: the hosts that a call is limited to.
type hostsKey struct{}

// WithHosts limits the calls of a context to hosts: a name, a pattern or labels, "" for
// no limit. Their nodes check it too.
func WithHosts(ctx context.Context, hosts string) context.Context {
	return context.WithValue(ctx, hostsKey{}, hosts)
}

// hostsOf returns what WithHosts was given.
func hostsOf(ctx context.Context) string {
	hosts, _ := ctx.Value(hostsKey{}).(string)
	return hosts
}

// ownerKey is the context's key of a share.Owner: whose streams are opened.
type ownerKey struct{}

// WithOwner says whose streams are opened with a context. Where there is no room for
// another one, at this member or at the node, whoever has the most loses one.
func WithOwner(ctx context.Context, o share.Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, o)
}

// ownerOf returns what WithOwner was given.
func ownerOf(ctx context.Context) share.Owner {
	o, _ := ctx.Value(ownerKey{}).(share.Owner)
	return o
}

// Allowed reports whether calls of a context may be made on a node.
func (m *Member) Allowed(ctx context.Context, host string) bool {
	return m.Known(host).allowed(hostsOf(ctx)) == nil
}

// Known returns a node's state as it was heard of last, and of one that is not known the
// name alone.
func (m *Member) Known(host string) State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[host]; k != nil {
		return k.state
	}
	return State{Name: host}
}

// allowed returns an error when a call that is limited to hosts may not be made on a node.
func (s State) allowed(hosts string) error {
	if hosts == "" || Fits(hosts, s) {
		return nil
	}
	return fmt.Errorf("%w: the token of this client is limited to the hosts %q, and %q is none of them", ErrNotAllowed, hosts, s.Name)
}
