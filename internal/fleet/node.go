package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// A State is what a node reports about itself.
type State struct {
	Name     string            `json:"name"`
	Instance string            `json:"instance"` // identifies one run of the node
	Labels   map[string]string `json:"labels,omitempty"`
	Version  string            `json:"version,omitempty"`
	Protocol int               `json:"protocol,omitempty"` // version of the messages that the node understands
	Sessions int               `json:"sessions"`
	Capacity int               `json:"capacity"`           // maximum number of sessions
	Load     float64           `json:"load,omitempty"`     // load average of the machine per processor
	Age      int64             `json:"age"`                // milliseconds since the node joined; clocks may differ
	Draining bool              `json:"draining,omitempty"` // the node takes no new sessions
	Claim    bool              `json:"claim,omitempty"`    // the node claims its name and does not serve yet
	Leaving  bool              `json:"gone,omitempty"`     // the node is leaving the fleet
}

// A Node is the last known state of a node.
type Node struct {
	State
	heard time.Time // when the state arrived; zero if it comes from a record
	// awaySince is when this member noticed that the node does not answer. If recorded or
	// forgotten is true, it may be the time of the node's record. It is zero while the node answers.
	awaySince time.Time

	forgotten bool // an operator has declared the node lost
	recorded  bool // the node is known only from its record
}

// Away returns how long ago this member noticed that the node does not answer. It returns 0 for a node
// that answers, and the record's age for a node that is known only from its record.
func (n Node) Away() time.Duration {
	if n.awaySince.IsZero() {
		return 0
	}
	return max(time.Since(n.awaySince), time.Millisecond)
}

// Lost reports whether the node is considered permanently gone.
func (n Node) Lost() bool { return n.lostReason() != "" }

// AwaySuffix returns text to put after "unreachable": when this member noticed that the node does not
// answer, or how old its record is.
func (n Node) AwaySuffix() string {
	if n.recorded {
		return fmt.Sprintf(" (its latest record is %s old)", n.Away().Round(time.Second))
	}
	return fmt.Sprintf(" (noticed %s ago)", n.Away().Round(time.Second))
}

// Limits on the number of remembered nodes, and on the size in bytes of a state, or of an error that
// another member sends.
const (
	maxNodes = 20000
	maxState = 16 << 10
)

// readState decodes a node's state. It reports false if the state is invalid, or names another node
// than the subject does.
func readState(subject string, data []byte) (State, bool) {
	var s State
	if len(data) > maxState || json.Unmarshal(data, &s) != nil {
		return s, false
	}
	return s, s.Name == token(subject, nodeIndex) && s.Instance != "" && nameForm().MatchString(s.Instance)
}

// A nodeTable holds the last known states of nodes. It is safe for concurrent use.
type nodeTable struct {
	mu    sync.Mutex // guards what follows
	nodes map[string]*Node
}

// note records a state that a node has sent. It ignores claims, and removes a node that is leaving.
func (t *nodeTable) note(s State) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.nodes[s.Name]
	switch {
	case s.Claim:
	case s.Leaving:
		if known != nil && known.Instance == s.Instance {
			delete(t.nodes, s.Name)
		}
	case known != nil || len(t.nodes) < maxNodes:
		t.nodes[s.Name] = &Node{State: s, heard: time.Now()}
	}
}

// markSilent records that a node does not answer, unless a state has arrived from it after the time
// since. The node stays known, because its sessions exist again when it returns.
func (t *nodeTable) markSilent(name string, since time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.nodes[name]; n != nil && n.awaySince.IsZero() && !n.heard.After(since) {
		n.awaySince = time.Now()
	}
}

// get returns what is known about a node.
func (t *nodeTable) get(name string) (n Node, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.nodes[name]; n != nil {
		return *n, true
	}
	return Node{}, false
}

// matching returns the nodes that match a selector, sorted by name.
func (t *nodeTable) matching(s selector) []Node {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Node
	for _, name := range slices.Sorted(maps.Keys(t.nodes)) {
		if n := t.nodes[name]; s.matches(n.State) {
			out = append(out, *n)
		}
	}
	return out
}

// protocol is the version of the messages between members. Raise it for a change that older
// members would misunderstand.
const protocol = 1

// OtherVersion reports whether a member of this version cannot call the node.
func (s State) OtherVersion() bool { return s.Protocol != protocol }

// checkVersion returns an error if this member and the node have different protocol versions.
func (s State) checkVersion() error {
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
	return m.nodes.matching(s), nil
}

// Known returns what is known about a node. An unknown node is reported as lost, because it has
// left the fleet or was never in it.
func (m *Member) Known(host string) Node {
	if n, ok := m.nodes.get(host); ok {
		return n
	}
	return Node{State: State{Name: host}, awaySince: time.Unix(0, 0)}
}

// Allowed reports whether the client of a context may use a node.
func (m *Member) Allowed(ctx context.Context, host string) bool {
	return m.Known(host).allowed(m.opt.Hosts(ctx)) == nil
}

// allowed returns an error if a client that is limited to hosts may not use the node.
func (s State) allowed(hosts string) error {
	if hosts == "" || Matches(hosts, s) {
		return nil
	}
	return fmt.Errorf("%w: the token of this client is limited to the hosts %q, which do not include %q", ErrNotAllowed, hosts, s.Name)
}

// compareLoad compares two nodes for slices.MinFunc: by the used share of their capacity for
// sessions, then by the load of their machines, then by name.
func compareLoad(a, b State) int {
	used := func(s State) float64 { return float64(s.Sessions) / float64(max(s.Capacity, 1)) }
	return cmp.Or(cmp.Compare(used(a), used(b)), cmp.Compare(a.Load, b.Load), strings.Compare(a.Name, b.Name))
}

// maxNamed is the maximum number of nodes that an error names.
const maxNamed = 10

// NoHost returns the error for a host, which is a name or selector, that matches no node that answers.
// The error names only nodes that the context's client may use.
func (m *Member) NoHost(ctx context.Context, host string) error {
	if err := cmp.Or(m.Connected(), m.CheckRights()); err != nil {
		return err
	}
	hosts := m.opt.Hosts(ctx)
	all := slices.DeleteFunc(m.nodes.matching(selector{}), func(n Node) bool { return n.allowed(hosts) != nil })
	among := "in the fleet"
	if hosts != "" {
		among = fmt.Sprintf("among the hosts %q, to which the token of this client is limited", hosts)
	}
	silent := slices.DeleteFunc(slices.Clone(all), func(n Node) bool { return !Matches(host, n.State) || n.Away() == 0 })
	if len(silent) > 0 {
		why := ErrLost
		if slices.ContainsFunc(silent, func(n Node) bool { return !n.Lost() }) {
			why = ErrUnreachable
		}
		return fmt.Errorf("host %q matches only nodes that do not answer (%s): %w; glasstty fleet lists all nodes", host, nodeNames(silent), why)
	}
	known := "this server knows no nodes"
	if len(all) > 0 {
		known = "there are " + nodeNames(all)
	}
	if strings.Contains(host, "=") {
		known += "; their labels are " + someNames(labelsOf(all))
	}
	return fmt.Errorf("%w %s: %q; %s (glasstty fleet lists them with their labels)", ErrNoHost, among, host, known)
}

// nodeNames returns the names of the first maxNamed nodes, and the number of the others.
func nodeNames(nodes []Node) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return someNames(names)
}

// LabelList returns the node's labels, such as gpu=a100, sorted.
func (s State) LabelList() []string {
	var list []string
	for key, value := range s.Labels {
		list = append(list, key+"="+value)
	}
	slices.Sort(list)
	return list
}

// labelsOf returns the labels of nodes, each once.
func labelsOf(nodes []Node) []string {
	var labels []string
	for _, n := range nodes {
		labels = append(labels, n.LabelList()...)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// someNames returns a list of the first maxNamed names, and the number of the others.
func someNames(names []string) string {
	some := names[:min(len(names), maxNamed)]
	text := strings.Join(some, ", ")
	if more := len(names) - len(some); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
