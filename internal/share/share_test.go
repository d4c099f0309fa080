package share

import (
	"fmt"
	"slices"
	"testing"
)

// TestTable fills a table of four and adds one more.
func TestTable(t *testing.T) {
	greedy, other, stranger := Owner{Name: "greedy", Source: "a"}, Owner{Name: "other", Source: "a"}, Owner{Source: "b"}
	type item struct {
		name  string
		owner Owner
		busy  bool
	}
	for _, tt := range []struct {
		name string
		have []item // in the order of their use
		more Owner
		want string // what goes; "" when the new one is not taken
	}{
		{"the longest unused of one owner", []item{{"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}, {"4", greedy, false}}, greedy, "1"},
		{"of whoever has the most", []item{{"o1", other, false}, {"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}}, other, "1"},
		{"of whoever has the most, though another asks", []item{{"o1", other, false}, {"1", greedy, false}, {"2", greedy, false}, {"3", greedy, false}}, stranger, "1"},
		{"what is idle", []item{{"o1", other, false}, {"1", greedy, true}, {"2", greedy, false}, {"3", greedy, true}}, other, "2"},
		{"busy, if there are too many", []item{{"o1", other, true}, {"1", greedy, true}, {"2", greedy, true}, {"3", greedy, true}}, other, "1"},
		{"not for the greedy", []item{{"o1", other, false}, {"1", greedy, true}, {"2", greedy, true}, {"3", greedy, true}}, greedy, ""},
		{"of the place that has the most", []item{{"1", greedy, false}, {"2", Owner{"greedy", "b"}, false}, {"3", Owner{"greedy", "b"}, false}, {"o1", other, false}}, other, "2"},
		{"strangers together", []item{{"o1", other, true}, {"s1", stranger, false}, {"s2", Owner{Source: "c"}, false}, {"o2", other, true}}, Owner{Source: "d"}, "s1"},
	} {
		var gone []string
		table := New(4, func(s string, _ int) { gone = append(gone, s) })
		for _, i := range tt.have {
			if !table.Add(i.name, 0, i.owner) {
				t.Fatalf("%s: %s is not taken", tt.name, i.name)
			}
			if i.busy {
				table.Begin(i.name, i.owner)
			}
		}
		took := table.Add("new", 0, tt.more)
		if want := tt.want != ""; took != want || fmt.Sprint(gone) != fmt.Sprint(slices.DeleteFunc([]string{tt.want}, func(s string) bool { return s == "" })) {
			t.Errorf("%s: taken %v, gone %v; want %q", tt.name, took, gone, tt.want)
		}
		if n := table.Len(); n != 4 {
			t.Errorf("%s: %d items", tt.name, n)
		}
	}
}

// TestGreed lets one owner ask a thousand times: another one's only item stays.
func TestGreed(t *testing.T) {
	table := New(10, func(n, _ int) {
		if n == 0 {
			t.Error("the other's item is gone")
		}
	})
	table.Add(0, 0, Owner{Name: "other"})
	for n := range 1000 {
		if !table.Add(n+1, 0, Owner{Name: "greedy", Source: fmt.Sprint(n)}) {
			t.Fatal("not taken")
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
		t.Error("removed twice")
	}
}
