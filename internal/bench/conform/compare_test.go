package conform

import (
	"encoding/json"
	"strings"
	"testing"
)

// screenFrom returns a screen with one row, given as JSON.
func screenFrom(t *testing.T, row string) Screen {
	t.Helper()
	var r Row
	if err := json.Unmarshal([]byte(row), &r); err != nil {
		t.Fatal(err)
	}
	return Screen{Rows: 1, Cols: 10, Grid: []Row{r}}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		name, ours, oracle string
		traits             Traits
		want               string
	}{
		{"equal", `{"r":[["b",1,"abc"]]}`, `{"r":[["b",1,["a","b","c"]]]}`, HeadlessTraits(), ""},
		{"blanks", `{"r":[["",1,"a"]]}`, `{"r":[["",1,"a  "]]}`, HeadlessTraits(), ""},
		{"text", `{"r":[["",1,"abc"]]}`, `{"r":[["",1,"axc"]]}`, HeadlessTraits(), "text"},
		{"width", `{"r":[["",2,"日"]]}`, `{"r":[["",1,"日 "]]}`, HeadlessTraits(), "text"},
		{"style", `{"r":[["b f1",1,"a"]]}`, `{"r":[["b",1,"a"]]}`, HeadlessTraits(), "style"},
		{"wrap", `{"wrap":true}`, `{}`, HeadlessTraits(), "wrap"},
		{"xterm tells no wrap", `{"wrap":true}`, `{}`, XTermTraits(), ""},
		{"xterm prints no colour at the end", `{"r":[["",1,"a"],["g1",1,"   "]]}`, `{"r":[["",1,"a"]]}`, XTermTraits(), ""},
		{"headless does", `{"r":[["",1,"a"],["g1",1,"   "]]}`, `{"r":[["",1,"a"]]}`, HeadlessTraits(), "style"},
		{"xterm knows no curly underline", `{"r":[["u3 U5",1,"a"]]}`, `{"r":[["u1",1,"a"]]}`, XTermTraits(), ""},
		{"xterm prints hidden text blank", `{"r":[["h",1,"ab"]]}`, `{"r":[["",1,"  "]]}`, XTermTraits(), ""},
	} {
		var got []string
		for _, d := range Compare(screenFrom(t, c.ours), screenFrom(t, c.oracle), c.traits) {
			got = append(got, d.What)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %q", c.name, got, c.want)
		}
	}
}

func TestRulesExplainOnlyWhatAgrees(t *testing.T) {
	rules, err := ParseRules("demo | * | headless | text | xterm | because\n")
	if err != nil {
		t.Fatal(err)
	}
	ours, other := screenFrom(t, `{"r":[["",1,"a"]]}`), screenFrom(t, `{"r":[["",1,"b"]]}`)
	d := Compare(ours, other, HeadlessTraits())[0]
	p := place{"demo", false, "headless", ours, map[string]Screen{"headless": other, "xterm": other}, map[string][]Difference{}, map[string]bool{}}
	if p.explain(d, rules) != nil || rules[0].used > 0 {
		t.Error("a rule explains the difference although xterm differs from us")
	}
	p.oracles["xterm"], p.found = ours, map[string][]Difference{}
	if p.explain(d, rules) == nil || rules[0].used == 0 {
		t.Error("no rule explains the difference although xterm agrees with us")
	}
	if _, err := ParseRules("a | b\n"); err == nil {
		t.Error("ParseRules accepts a line with too few fields")
	}
}

func TestMinimise(t *testing.T) {
	atoms := []atom{"a", "b", "X", "c", "d", "e", "Y", "f", "g"}
	got := minimise(atoms, func(a []atom) bool {
		var s string
		for _, x := range a {
			s += string(x)
		}
		return strings.Contains(s, "X") && strings.Contains(s, "Y")
	})
	if len(got) != 2 || got[0] != "X" || got[1] != "Y" {
		t.Errorf("got %q", got)
	}
}
