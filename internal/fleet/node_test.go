package fleet

import (
	"testing"
	"time"
)

// TestMarkSilent checks that a node counts as away if it does not answer a question, but not if it
// has announced itself since the question, as nodes do when NATS is back.
func TestMarkSilent(t *testing.T) {
	asked := time.Now()
	nodes := &nodeTable{nodes: map[string]*Node{}}
	nodes.note(State{Name: "a", Instance: "i1"})
	nodes.markSilent("a", asked.Add(-time.Second))
	if n, _ := nodes.get("a"); n.Away() != 0 {
		t.Error("a node that has announced itself since the question counts as away")
	}
	nodes.markSilent("a", time.Now().Add(time.Second))
	if n, _ := nodes.get("a"); n.Away() == 0 {
		t.Error("a node that does not answer does not count as away")
	}
}
