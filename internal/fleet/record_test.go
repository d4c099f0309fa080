package fleet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// entry is a record as NATS returns it.
type entry struct {
	nats.KeyValueEntry
	key, value string
	made       time.Time
	op         nats.KeyValueOp
}

func (e entry) Key() string                { return e.key }
func (e entry) Value() []byte              { return []byte(e.value) }
func (e entry) Created() time.Time         { return e.made }
func (e entry) Operation() nats.KeyValueOp { return e.op }

// TestRecall checks which nodes a member knows from records, including records from a
// clock that is an hour off, and records that are invalid or too many.
func TestRecall(t *testing.T) {
	const good = `{"name":"a","instance":"i1"}`
	for _, tt := range []struct {
		name  string
		entry entry
		want  string
	}{
		{"now", entry{key: "a.k", value: good}, "a away"},
		{"an hour ahead", entry{key: "a.k", value: good, made: time.Now().Add(time.Hour)}, "a away"},
		{"an hour behind", entry{key: "a.k", value: good, made: time.Now().Add(-time.Hour)}, "a away"},
		{"8 days ago", entry{key: "a.k", value: good, made: time.Now().Add(-8 * 24 * time.Hour)}, "a lost"},
		{"an operator's word", entry{key: "a.k", value: `{"name":"a","lost":true}`}, "a lost"},
		{"another's", entry{key: "b.k", value: good}, ""},
		{"an invalid name", entry{key: "a.b", value: `{"name":"a.b"}`}, ""},
		{"a key without a secret", entry{key: "a", value: good}, ""},
		{"an acknowledgement", entry{key: "a.k", value: `{"stream":"glasstty-audit","seq":7}`}, ""},
		{"nonsense", entry{key: "a.k", value: "{"}, ""},
		{"too large", entry{key: "a.k", value: good + strings.Repeat(" ", maxState)}, ""},
		{"removed", entry{key: "a.k", op: nats.KeyValueDelete}, ""},
	} {
		nodes := &nodeTable{nodes: map[string]*Node{}}
		if tt.entry.made.IsZero() {
			tt.entry.made = time.Now()
		}
		nodes.applyRecord(tt.entry)
		got := ""
		all := nodes.matching(selector{})
		for _, n := range all {
			got += n.Name + map[bool]string{false: " away", true: " lost"}[n.Lost()]
			if n.Away() <= 0 {
				t.Errorf("%s: the node is not away", tt.name)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	nodes := &nodeTable{nodes: map[string]*Node{}}
	for _, record := range []entry{ // records of a node that was lost and came back
		{key: "a.x", value: `{"name":"a","instance":"i1","lost":true}`, made: time.Now().Add(-time.Hour)},
		{key: "a.k", value: `{"name":"a","instance":"i2","sessions":3}`, made: time.Now().Add(-time.Minute)},
	} {
		nodes.applyRecord(record)
	}
	all := nodes.matching(selector{})
	if len(all) != 1 || all[0].Lost() || all[0].Instance != "i2" || all[0].Sessions != 3 || all[0].Away() > time.Hour/2 {
		t.Errorf("from two records: %+v; want the later one", all)
	}
	nodes = &nodeTable{nodes: map[string]*Node{}}
	for i := range maxNodes + 1 {
		name := fmt.Sprint("n", i)
		nodes.applyRecord(entry{key: name + ".k", value: `{"name":"` + name + `"}`, made: time.Now()})
	}
	if len(nodes.nodes) != maxNodes {
		t.Errorf("%d nodes are known, want %d", len(nodes.nodes), maxNodes)
	}
}
