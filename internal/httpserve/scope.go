package httpserve

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is a permission of a token's holder.
type Scope string

// The scopes. MCP requires ScopeRead or ScopeFull, and the live page ScopeWatch or ScopeType.
const (
	// ScopeFull allows everything.
	ScopeFull Scope = "full"
	// ScopeRead allows MCP with the tools that only read, and seeing sessions in the live page.
	ScopeRead Scope = "read"
	// ScopeWatch allows seeing sessions in the live page.
	ScopeWatch Scope = "watch"
	// ScopeType allows seeing sessions in the live page and typing into them.
	ScopeType Scope = "type"
)

// implied lists the other scopes that a scope includes.
var implied = map[Scope][]Scope{
	ScopeFull: {ScopeRead, ScopeWatch, ScopeType},
	ScopeRead: {ScopeWatch},
	ScopeType: {ScopeWatch},
}

// Scopes are the permissions of one token.
type Scopes []Scope

// Allows reports whether s contains want or a scope that implies it.
func (s Scopes) Allows(want Scope) bool {
	return slices.ContainsFunc(s, func(have Scope) bool {
		return have == want || slices.Contains(implied[have], want)
	})
}

// ParseScopes parses a comma-separated list of scopes. The error names the allowed scopes.
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

// UnmarshalText sets s as ParseScopes does.
func (s *Scopes) UnmarshalText(text []byte) (err error) {
	*s, err = ParseScopes(string(text))
	return err
}

// MarshalText returns the text of String.
func (s Scopes) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the scopes in the form that ParseScopes accepts.
func (s Scopes) String() string {
	words := make([]string, len(s))
	for i, v := range s {
		words[i] = string(v)
	}
	return strings.Join(words, ",")
}
