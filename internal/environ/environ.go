// Package environ reads and changes environments: lists of "NAME=value". Of several entries for one
// name, the last one applies, as in os/exec.
package environ

import (
	"slices"
	"strings"
)

// Get returns the value of a variable. ok is false if env does not have it.
func Get(env []string, name string) (value string, ok bool) {
	for _, e := range slices.Backward(env) {
		if value, ok = strings.CutPrefix(e, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// With returns a copy of env with a variable set to value.
func With(env []string, name, value string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, name+"="+value)
}
