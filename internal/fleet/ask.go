package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// askTime is how long all nodes have to answer.
const askTime = 300 * time.Millisecond

// Ask asks the nodes that fit a selector how they are, and returns those that answer.
func (m *Member) Ask(ctx context.Context, host string) ([]State, error) {
	s, err := parseSelector(host)
	if err != nil {
		return nil, err
	}
	b := m.open("")
	defer m.shut(b)
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replies(b.key), []byte(host)); err != nil {
		return nil, fmt.Errorf("fleet: %w", err)
	}
	limit := time.NewTimer(askTime)
	defer limit.Stop()
	found := map[string]State{}
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-m.ctx.Done():
			return nil, ErrLeft
		case msg := <-b.in:
			if n, ok := readState(msg.Subject, msg.Data); ok && s.fits(n) && len(found) < maxNodes {
				m.note(n)
				found[n.Name] = n
			}
		case <-limit.C:
			out := make([]State, 0, len(found))
			for _, n := range found {
				out = append(out, n)
			}
			slices.SortFunc(out, func(a, b State) int { return strings.Compare(a.Name, b.Name) })
			return out, nil
		}
	}
}

// Pick returns the name of a node: the one that is named, or the least loaded of those
// that a selector means.
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
	if len(found) == 0 {
		return "", m.noHost(host)
	}
	if hosts := hostsOf(ctx); hosts != "" {
		first := found[0]
		found = slices.DeleteFunc(found, func(s State) bool { return !Fits(hosts, s) })
		if len(found) == 0 {
			return "", first.allowed(hosts)
		}
	}
	open := slices.DeleteFunc(found, func(s State) bool { return s.Draining })
	if len(open) == 0 {
		return "", fmt.Errorf("all nodes that host %q means are %w, and take no new sessions; name another host, or have one take sessions again: glasstty fleet resume NODE", host, ErrDraining)
	}
	return slices.MinFunc(open, busier).Name, nil
}

// labelText returns labels as a selector has them.
func labelText(labels map[string]string) string {
	var out []string
	for k, v := range labels {
		out = append(out, k+"="+v)
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}
