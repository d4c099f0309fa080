package httpserve

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is one thing that a token's holder may do.
type Scope string

// The scopes. MCP asks for ScopeRead or ScopeFull; the live page for ScopeWatch
// and ScopeType.
const (
	// ScopeFull allows everything.
	ScopeFull Scope = "full"
	// ScopeRead allows MCP with the tools that only read, and watching.
	ScopeRead Scope = "read"
	// ScopeWatch allows to see sessions in the live page.
	ScopeWatch Scope = "watch"
	// ScopeType allows to see sessions in the live page and to type into them.
	ScopeType Scope = "type"
)

// implied says which other scopes a scope brings with it.
var implied = map[Scope][]Scope{
	ScopeFull: {ScopeRead, ScopeWatch, ScopeType},
	ScopeRead: {ScopeWatch},
	ScopeType: {ScopeWatch},
}

// Scopes are what one token allows.
type Scopes []Scope

// Allow reports whether s contains want or a scope that implies it.
func (s Scopes) Allow(want Scope) bool {
	return slices.ContainsFunc(s, func(have Scope) bool {
		return have == want || slices.Contains(implied[have], want)
	})
}

// ParseScopes reads a comma-separated list of scopes. The error names what is
// allowed.
func ParseScopes(text string) (Scopes, error) {
	var out Scopes
	for word := range strings.SplitSeq(text, ",") {
		s := Scope(strings.TrimSpace(word))
		if _, ok := implied[s]; !ok && s != ScopeWatch {
			return nil, fmt.Errorf("scope %q is not one of %s, %s, %s, %s", s, ScopeFull, ScopeRead, ScopeWatch, ScopeType)
		}
		out = append(out, s)
	}
	return out, nil
}

// String returns the scopes as ParseScopes reads them.
func (s Scopes) String() string {
	words := make([]string, len(s))
	for i, v := range s {
		words[i] = string(v)
	}
	return strings.Join(words, ",")
}
