package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// askTime is the time that unknown nodes have to answer. Known nodes have askLimit. If no node is
// known, the first answer may also take askLimit.
const askTime = 300 * time.Millisecond

// Ask asks the nodes that match a selector for their states, and returns those that answer.
// The others then count as unreachable.
func (m *Member) Ask(ctx context.Context, host string) ([]State, error) {
	s, err := parseSelector(host)
	if err != nil {
		return nil, err
	}
	if err := m.Rights(); err != nil {
		return nil, err
	}
	b := m.open("")
	defer m.removeBox(b)
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replies(b.key), []byte(host)); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	soon, limit := time.NewTimer(askTime), time.NewTimer(askLimit)
	defer soon.Stop()
	defer limit.Stop()
	found, early := map[string]State{}, true
	missing := m.presentNames(s)
	for early || len(found) == 0 || len(missing) > 0 {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.ctx.Done():
			return nil, ErrLeft
		case msg := <-b.in:
			if n, ok := readState(msg.Subject, msg.Data); ok && s.fits(n) && len(found) < maxNodes {
				m.note(n)
				found[n.Name] = n
				delete(missing, n.Name)
			}
		case <-soon.C:
			early = false
		case <-limit.C:
			if err := m.Rights(); err != nil {
				return nil, err
			}
			for name := range missing {
				m.lost(name)
			}
			return byName(found), nil
		}
	}
	return byName(found), nil
}

// byName returns states sorted by name.
func byName(found map[string]State) []State {
	var out []State
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// presentNames returns the names of the nodes that answered last time and match a selector.
func (m *Member) presentNames(s selector) map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]bool{}
	for name, k := range m.nodes {
		if k.awaySince.IsZero() && s.fits(k.State) {
			out[name] = true
		}
	}
	return out
}

// Pick returns host if it is the name of a node, or else the name of the least loaded node that
// matches the selector host.
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
	hosts := hostsOf(ctx)
	found = slices.DeleteFunc(found, func(s State) bool { return s.allowed(hosts) != nil })
	if len(found) == 0 {
		return "", m.NoHost(ctx, host)
	}
	understood := slices.DeleteFunc(slices.Clone(found), State.OtherVersion)
	if len(understood) == 0 {
		return "", fmt.Errorf("no node that matches host %q can be called: %w", host, found[0].understood())
	}
	open := slices.DeleteFunc(understood, func(s State) bool { return s.Draining })
	if len(open) == 0 {
		return "", fmt.Errorf("all nodes that match host %q are %w and take no new sessions; name another host, or run glasstty fleet resume NODE", host, ErrDraining)
	}
	return slices.MinFunc(open, busier).Name, nil
}

// labelText formats labels as in a selector.
func labelText(labels map[string]string) string {
	var out []string
	for k, v := range labels {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}
