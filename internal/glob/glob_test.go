package glob

import "testing"

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"*", "a/b", true},
		{"a*", "a", true}, {"a*", "ba", false}, {"*a", "ba", true}, {"a*a", "a", false}, {"a*a", "aa", true},
		{"push *--force*", "push -q --force x", true}, {"push *--force*", "push -q", false}, {"a*b*c", "axbxbxc", true}, {"a*b*c", "acb", false},
	} {
		if got := Match(c.pattern, c.text); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}
