package share

import (
	"fmt"
	"slices"
	"testing"
)

// TestTable checks which item a full table removes for a new one, or that it rejects the
// new one.
func TestTable(t *testing.T) {
	greedy, other, stranger := Owner{Name: "greedy", Source: "a"}, Owner{Name: "other", Source: "a"}, Owner{Source: "b"}
	type item struct {
		name  string
		owner Owner
		busy  bool
	}
	for _, tt := range []struct {
		name string
		have []item // in the order of use, the longest unused first
		more Owner
		want string // the item removed; "" if the new one is rejected
	}{
		{"the longest unused of one owner", []item{{"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}, {"4", greedy, false}}, greedy, "1"},
		{"of the owner with the most", []item{{"o1", other, false}, {"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}}, other, "1"},
		{"of the owner with the most, for another owner", []item{{"o1", other, false}, {"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}}, stranger, "1"},
		{"an idle one", []item{{"o1", other, false}, {"1", greedy, true}, {"2", greedy, false}, {"3", greedy, true}}, other, "2"},
		{"busy, if there are too many", []item{{"o1", other, true}, {"1", greedy, true}, {"2", greedy, true}, {"3", greedy, true}}, other, "1"},
		{"rejected for the greedy owner", []item{{"o1", other, false}, {"1", greedy, true}, {"2", greedy, true}, {"3", greedy, true}}, greedy, ""},
		{"of the source with the most", []item{{"1", greedy, false}, {"2", Owner{"greedy", "b"}, false}, {"3", Owner{"greedy", "b"}, false}, {"o1", other, false}}, other, "2"},
		{"strangers together", []item{{"o1", other, true}, {"s1", stranger, false}, {"s2", Owner{Source: "c"}, false}, {"o2", other, true}}, Owner{Source: "d"}, "s1"},
	} {
		var gone []string
		table := New(4, func(s string, _ int) { gone = append(gone, s) })
		for _, i := range tt.have {
			if !table.Add(i.name, 0, i.owner) {
				t.Fatalf("%s: %s was rejected", tt.name, i.name)
			}
			if i.busy {
				table.Begin(i.name, i.owner)
			}
		}
		took := table.Add("new", 0, tt.more)
		if want := tt.want != ""; took != want || fmt.Sprint(gone) != fmt.Sprint(slices.DeleteFunc([]string{tt.want}, func(s string) bool { return s == "" })) {
			t.Errorf("%s: accepted %v, removed %v; want %q removed", tt.name, took, gone, tt.want)
		}
		if n := table.Len(); n != 4 {
			t.Errorf("%s: %d items, want 4", tt.name, n)
		}
	}
}

// TestGreed checks that one owner's thousand items do not remove the only item of another.
func TestGreed(t *testing.T) {
	table := New(10, func(n, _ int) {
		if n == 0 {
			t.Error("the other owner's item was removed")
		}
	})
	table.Add(0, 0, Owner{Name: "other"})
	for n := range 1000 {
		if !table.Add(n+1, 0, Owner{Name: "greedy", Source: fmt.Sprint(n)}) {
			t.Fatalf("item %d was rejected", n+1)
		}
		if n%2 == 0 {
			table.Begin(n+1, Owner{Name: "greedy"})
			table.End(n + 1)
		}
	}
	if _, ok := table.Get(0); !ok || len(table.Idle()) != 10 || len(table.All()) != 10 {
		t.Errorf("%v, %d idle of %d", ok, len(table.Idle()), len(table.All()))
	}
	if !table.Remove(0) || table.Remove(0) {
		t.Error("Remove does not report whether the item was there")
	}
}
