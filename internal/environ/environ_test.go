package environ

import (
	"slices"
	"testing"
)

// TestEnviron tests Get and With on an environment that contains a name twice.
func TestEnviron(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "C="}
	for name, want := range map[string]string{"A": "3", "AB": "2", "C": ""} {
		if got, ok := Get(env, name); got != want || !ok {
			t.Errorf("%s is %q, %v; want %q", name, got, ok, want)
		}
	}
	if got, ok := Get(env, "B"); ok {
		t.Errorf("B is %q", got)
	}
	if got := With(env, "A", "x=y"); !slices.Equal(got, []string{"AB=2", "C=", "A=x=y"}) || len(env) != 4 || env[0] != "A=1" {
		t.Errorf("%q of %q", got, env)
	}
}
