package peer

import (
	"slices"
	"strings"
)

// Pick returns the elements of all whose name contains one of the comma-separated words, or all if
// words is "".
func Pick[T any](all []T, name func(T) string, words string) []T {
	if words == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool {
		return !slices.ContainsFunc(strings.Split(words, ","), func(w string) bool {
			return strings.Contains(name(one), strings.TrimSpace(w))
		})
	})
}
