package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// askTime is how long Ask waits for answers from unknown nodes. For known nodes, and for the first
// answer of any node, Ask waits up to askLimit.
const askTime = 300 * time.Millisecond

// Ask asks the nodes that match a selector for their states, and returns the states of the nodes that
// answer, sorted by name. It records that the other known nodes do not answer (markSilent).
func (m *Member) Ask(ctx context.Context, host string) ([]State, error) {
	s, err := parseSelector(host)
	if err != nil {
		return nil, err
	}
	if err := m.CheckRights(); err != nil {
		return nil, err
	}
	reply, replies, stop := m.awaitReplies(anyInstance, maxNodes)
	defer stop()
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), reply, []byte(host)); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	soon, limit := time.NewTimer(askTime), time.NewTimer(askLimit)
	defer soon.Stop()
	defer limit.Stop()
	began := time.Now()
	found, early := map[string]State{}, true
	missing := map[string]bool{}
	for _, n := range m.nodes.matching(s) {
		if n.Away() == 0 {
			missing[n.Name] = true
		}
	}
	for over := false; !over && (early || len(found) == 0 || len(missing) > 0); {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.ctx.Done():
			return nil, ErrLeft
		case msg := <-replies:
			if n, ok := readState(msg.Subject, msg.Data); ok && s.matches(n) && len(found) < maxNodes {
				m.nodes.note(n)
				found[n.Name] = n
				delete(missing, n.Name)
			}
		case <-soon.C:
			early = false
		case <-limit.C:
			over = true
		}
	}
	if err := m.CheckRights(); err != nil {
		return nil, err
	}
	for name := range missing {
		m.nodes.markSilent(name, began)
	}
	return slices.SortedFunc(maps.Values(found), func(a, b State) int { return strings.Compare(a.Name, b.Name) }), nil
}

// Pick returns host if it is a name, without checking that such a node exists. If host is a
// selector, Pick returns the least loaded of the matching nodes that take new sessions and that the
// client of ctx may use.
func (m *Member) Pick(ctx context.Context, host string) (string, error) {
	s, err := parseSelector(host)
	if err != nil {
		return "", err
	}
	if name := s.exact(); name != "" {
		return name, nil
	}
	found, err := m.Ask(ctx, host)
	if err != nil {
		return "", err
	}
	hosts := m.opt.Hosts(ctx)
	found = slices.DeleteFunc(found, func(s State) bool { return s.allowed(hosts) != nil })
	if len(found) == 0 {
		return "", m.NoHost(ctx, host)
	}
	callable := slices.DeleteFunc(slices.Clone(found), State.OtherVersion)
	if len(callable) == 0 {
		return "", fmt.Errorf("no node that matches host %q can be called: %w", host, found[0].checkVersion())
	}
	open := slices.DeleteFunc(callable, func(s State) bool { return s.Draining })
	if len(open) == 0 {
		return "", fmt.Errorf("all nodes that match host %q are %w and take no new sessions; name another host, or run glasstty fleet resume NODE", host, ErrDraining)
	}
	return slices.MinFunc(open, compareLoad).Name, nil
}
