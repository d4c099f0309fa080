package fleet

import (
	"context"
	"fmt"
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
