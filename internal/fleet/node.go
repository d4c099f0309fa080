package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A State is what a node reports about itself.
type State struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"` // one run of the node
	Labels   map[string]string `json:"labels,omitempty"`
	Version  string            `json:"version,omitempty"`
	Protocol int               `json:"protocol,omitempty"` // version of the messages that it understands
	Sessions int               `json:"sessions"`
	Capacity int               `json:"capacity"`           // maximum number of sessions
	Load     float64           `json:"load,omitempty"`     // of the machine, per processor
	Age      int64             `json:"age"`                // milliseconds since it joined; clocks may differ
	Draining bool              `json:"draining,omitempty"` // it takes no new sessions
	Claim    bool              `json:"claim,omitempty"`
	Leaving  bool              `json:"gone,omitempty"` // it is leaving the fleet
}

// A Node is what a member knows about a node.
type Node struct {
	State
	awaySince time.Time // when this member noticed that the node does not answer; zero while it answers

	forgotten bool // an operator has declared it lost
	recorded  bool // known only from its record; awaySince is the record's time
}

// Away returns how long ago this member noticed that the node does not answer, or 0 if the node
// answered last time. For a node that is known only from its record, it is the record's age.
func (n Node) Away() time.Duration {
	if n.awaySince.IsZero() {
		return 0
	}
	return max(time.Since(n.awaySince), time.Millisecond)
}

// Lost reports whether the node counts as permanently gone.
func (n Node) Lost() bool { return n.lostReason() != "" }

// AwayFor returns a suffix for "unreachable" that says how long the node has not answered, as far as
// that is known.
func (n Node) AwayFor() string {
	if n.recorded {
		return fmt.Sprintf(" (its latest record is %s old)", brief(n.Away()))
	}
	return fmt.Sprintf(" (noticed %s ago)", brief(n.Away()))
}

// Limits on the number of remembered nodes, and on the size of a state in bytes.
const (
	maxNodes = 20000
	maxState = 16 << 10
)

// readState decodes a node's state. It reports false for an invalid state, or one of another node
// than the subject names.
func readState(subject string, data []byte) (State, bool) {
	var s State
	if len(data) > maxState || json.Unmarshal(data, &s) != nil {
		return s, false
	}
	return s, s.Name == token(subject, nodePlace) && s.Instance != "" && nameForm().MatchString(s.Instance)
}

// note records a node's state.
func (m *Member) note(s State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was := m.nodes[s.Name]
	switch {
	case s.Claim:
	case s.Leaving:
		if was != nil && was.Instance == s.Instance {
			delete(m.nodes, s.Name)
		}
	case was != nil || len(m.nodes) < maxNodes:
		m.nodes[s.Name] = &Node{State: s}
	}
}

// lost records that a node does not answer. The node stays known, because its sessions
// return with it.
func (m *Member) lost(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[name]; k != nil && k.awaySince.IsZero() {
		k.awaySince = time.Now()
	}
}

// present returns the state of a node, and whether the node answered last time.
func (m *Member) present(name string) (State, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.nodes[name]; k != nil && k.awaySince.IsZero() {
		return k.State, true
	}
	return State{}, false
}

// protocol is the version of the messages between members. Raise it for a change that older
// members would misunderstand.
const protocol = 1

// OtherVersion reports whether a member of this version cannot call the node.
func (s State) OtherVersion() bool { return s.Protocol != protocol }

// understood returns an error if this member and the node have different versions.
func (s State) understood() error {
	if !s.OtherVersion() {
		return nil
	}
	older := "the node"
	if s.Protocol > protocol {
		older = "this server"
	}
	return fmt.Errorf("%w: node %s (glasstty %q) has version %d of the fleet's protocol and this server has version %d; upgrade %s",
		ErrVersion, s.Name, s.Version, s.Protocol, protocol, older)
}

// Nodes returns the known nodes that match a selector, sorted by name, with their last known states.
func (m *Member) Nodes(host string) ([]Node, error) {
	s, err := parseSelector(host)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Node
	for _, name := range slices.Sorted(maps.Keys(m.nodes)) {
		if k := m.nodes[name]; s.fits(k.State) {
			out = append(out, *k)
		}
	}
	return out, nil
}

// busier compares two nodes by load, for slices.MinFunc.
func busier(a, b State) int {
	used := func(s State) float64 { return float64(s.Sessions) / float64(max(s.Capacity, 1)) }
	return cmp.Or(cmp.Compare(used(a), used(b)), cmp.Compare(a.Load, b.Load), strings.Compare(a.Name, b.Name))
}

// maxNamed is the maximum number of nodes that an error names.
const maxNamed = 10

// NoHost returns the error for a host that matches no node that answers. It names only
// nodes that the context's client may use.
func (m *Member) NoHost(ctx context.Context, host string) error {
	if err := cmp.Or(m.Connected(), m.Rights()); err != nil {
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
		among = fmt.Sprintf("among the hosts %q, to which the token of this client is limited", hosts)
	}
	fits := func(n Node) bool { return Fits(host, n.State) && n.Away() > 0 }
	if away := slices.DeleteFunc(slices.Clone(all), func(n Node) bool { return !fits(n) }); len(away) > 0 {
		why := ErrLost
		if slices.ContainsFunc(away, func(n Node) bool { return !n.Lost() }) {
			why = ErrUnreachable
		}
		return fmt.Errorf("host %q matches only nodes that do not answer (%s): %w; glasstty fleet lists all nodes", host, nodeNames(away), why)
	}
	there := "this server knows no nodes"
	if len(all) > 0 {
		there = "there are " + nodeNames(all)
	}
	if strings.Contains(host, "=") {
		there += "; their labels are " + someNames(labelsOf(all))
	}
	return fmt.Errorf("%w %s: %q; %s (glasstty fleet lists them with their labels)", ErrNoHost, among, host, there)
}

// nodeNames returns the names of nodes as someNames does.
func nodeNames(nodes []Node) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return someNames(names)
}

// labelsOf returns the labels of nodes, such as gpu=a100, each once.
func labelsOf(nodes []Node) []string {
	labels := map[string]bool{}
	for _, n := range nodes {
		for key, value := range n.Labels {
			labels[key+"="+value] = true
		}
	}
	return slices.Sorted(maps.Keys(labels))
}

// someNames returns the first maxNamed names, and the number of the others.
func someNames(names []string) string {
	some := names[:min(len(names), maxNamed)]
	text := strings.Join(some, ", ")
	if more := len(names) - len(some); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
