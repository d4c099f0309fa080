package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A State is what a node says of itself.
type State struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"` // one run of the node
	Labels   map[string]string `json:"labels,omitempty"`
	Version  string            `json:"version,omitempty"`
	Protocol int               `json:"protocol,omitempty"` // of the messages that it understands
	Sessions int               `json:"sessions"`
	Capacity int               `json:"capacity"`           // sessions that it can have
	Load     float64           `json:"load,omitempty"`     // of the machine, for each processor
	Age      int64             `json:"age"`                // milliseconds since it joined; clocks may differ
	Draining bool              `json:"draining,omitempty"` // it takes no new sessions
	Claim    bool              `json:"claim,omitempty"`
	Gone     bool              `json:"gone,omitempty"` // it leaves
}

// A Node is a node as a member knows it.
type Node struct {
	State
	Away time.Duration // how long it has not answered, 0 when it did last time
	Lost bool          // it counts as gone for good
	// Recorded says that the node is known only from its record: Away is the record's age.
	// When the node vanished is not known.
	Recorded bool
}

// AwayFor continues "unreachable" with how long the node has not answered, as far as that
// is known.
func (n Node) AwayFor() string {
	if n.Recorded {
		return fmt.Sprintf(" (its latest record is %s old)", brief(n.Away))
	}
	return " for " + brief(n.Away)
}

// known is a node that was heard of.
type known struct {
	state State
	away  time.Time // since when it does not answer, zero when it does

	forgotten bool // an operator has said that it does not come back
	left      bool // its record says that it has left
	recorded  bool // known only from its record, whose time away is
}

// Bounds of what is taken from nodes: how many are remembered, and how large a state is.
const (
	maxNodes = 20000
	maxState = 16 << 10
)

// readState reads a node's state, which must be the one of the node that the subject
// names.
func readState(subject string, data []byte) (State, bool) {
	var s State
	if len(data) > maxState || json.Unmarshal(data, &s) != nil {
		return s, false
	}
	return s, s.Name == token(subject, nodePlace) && s.Instance != "" && nameForm().MatchString(s.Instance)
}

// note remembers a node's state.
func (m *Member) note(s State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.nodes[s.Name]
	switch {
	case s.Claim:
	case s.Gone:
		if was != nil && was.state.Instance == s.Instance {
			delete(m.nodes, s.Name)
		}
	case was != nil || len(m.nodes) < maxNodes:
		m.nodes[s.Name] = &known{state: s}
	}
}

// lost notes that a node does not answer. It stays known: its sessions are there when it
// comes back.
func (m *Member) lost(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[name]; k != nil && k.away.IsZero() {
		k.away = time.Now()
	}
}

// present returns the state of a node that answered last time, and false for none.
func (m *Member) present(name string) (State, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[name]; k != nil && k.away.IsZero() {
		return k.state, true
	}
	return State{}, false
}

// protocol is the version of the messages between members. A change that older members
// would misunderstand raises it.
const protocol = 1

// OtherVersion reports whether a member of this version cannot call the node.
func (s State) OtherVersion() bool { return s.Protocol != protocol }

// understood returns an error when this member and a node do not understand each other.
func (s State) understood() error {
	if !s.OtherVersion() {
		return nil
	}
	older := "the node"
	if s.Protocol > protocol {
		older = "this server"
	}
	return fmt.Errorf("%w: node %s (glasstty %q) has version %d of the fleet's messages and this server version %d; upgrade %s",
		ErrVersion, s.Name, s.Version, s.Protocol, protocol, older)
}

// Nodes returns the nodes that fit a selector, by name, as they were heard of last.
func (m *Member) Nodes(host string) ([]Node, error) {
	s, err := parseSelector(host)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Node
	for _, k := range m.nodes {
		if !s.fits(k.state) {
			continue
		}
		out = append(out, k.node())
	}
	slices.SortFunc(out, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// node returns the node as others see it.
func (k *known) node() Node {
	n := Node{State: k.state}
	if !k.away.IsZero() {
		n.Away, n.Lost, n.Recorded = max(time.Since(k.away), time.Millisecond), k.lost() != "", k.recorded
	}
	return n
}

// busier compares the loads of two nodes.
func busier(a, b State) int {
	used := func(s State) float64 { return float64(s.Sessions) / float64(max(s.Capacity, 1)) }
	return cmp.Or(cmp.Compare(used(a), used(b)), cmp.Compare(a.Load, b.Load), strings.Compare(a.Name, b.Name))
}

// maxNamed is how many nodes an error names.
const maxNamed = 10

// NoHost returns the error for a host that means no node that answers. It names only nodes
// that the context's client may use.
func (m *Member) NoHost(ctx context.Context, host string) error {
	if err := cmp.Or(m.Connected(), m.rights()); err != nil {
		return err
	}
	all, err := m.Nodes("")
	if err != nil {
		return err
	}
	hosts := hostsOf(ctx)
	all = slices.DeleteFunc(all, func(n Node) bool { return n.allowed(hosts) != nil })
	among := "in the fleet"
	if hosts != "" {
		among = fmt.Sprintf("among the hosts %q, which the token of this client is limited to", hosts)
	}
	fits := func(n Node) bool { return Fits(host, n.State) && n.Away > 0 }
	if away := slices.DeleteFunc(slices.Clone(all), func(n Node) bool { return !fits(n) }); len(away) > 0 {
		why := ErrLost
		if slices.ContainsFunc(away, func(n Node) bool { return !n.Lost }) {
			why = ErrUnreachable
		}
		return fmt.Errorf("host %q means only nodes that do not answer: %s: %w (glasstty fleet lists all nodes)", host, nodeNames(away), why)
	}
	there := "this server has heard of none"
	if len(all) > 0 {
		there = "there are " + nodeNames(all)
	}
	return fmt.Errorf("%w %s: %q; %s (glasstty fleet lists them with their labels)", ErrNoHost, among, host, there)
}

// nodeNames returns the names of the first maxNamed nodes, and how many more there are.
func nodeNames(nodes []Node) string {
	names := make([]string, 0, maxNamed)
	for _, n := range nodes[:min(len(nodes), maxNamed)] {
		names = append(names, n.Name)
	}
	text := strings.Join(names, ", ")
	if more := len(nodes) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
