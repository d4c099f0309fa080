package fleet

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// A selector matches nodes whose name matches a pattern, or which have all the given
// labels. The zero value matches all nodes.
type selector struct {
	name   string            // a pattern for path.Match; "" matches any name
	labels map[string]string // by key; the values are patterns too; nil if the selector has a name
}

// maxSelector is the maximum length of a selector, in bytes.
const maxSelector = 1024

// namePattern matches the valid patterns for names.
var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_*?\[\]^-]*$`) })

// parseSelector parses a node's name or a pattern for names (see path.Match), or labels such as
// os=linux,gpu=a100, whose values may be patterns.
func parseSelector(text string) (selector, error) {
	if len(text) > maxSelector {
		return selector{}, fmt.Errorf("invalid host: it has %d bytes; the maximum is %d (examples: build7, gpu=a100)", len(text), maxSelector)
	}
	if !strings.Contains(text, "=") {
		if !namePattern().MatchString(text) || !isPattern(text) {
			return selector{}, badSelector(text)
		}
		return selector{name: text}, nil
	}
	s := selector{labels: map[string]string{}}
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if _, twice := s.labels[key]; twice || key == "" || value == "" || !isPattern(value) {
			return selector{}, badSelector(text)
		}
		s.labels[key] = value
	}
	return s, nil
}

func badSelector(text string) error {
	return fmt.Errorf("invalid host %q (examples: build7, build*, gpu=a100, os=linux,arch=arm64; each label once)", text)
}

// isPattern reports whether text is a valid pattern for path.Match.
func isPattern(text string) bool {
	_, err := path.Match(text, "")
	return err == nil
}

// exact returns the name of the only node that s can match, or "" if s has a pattern or labels.
func (s selector) exact() string {
	if s.labels != nil || strings.ContainsAny(s.name, `*?[\`) {
		return ""
	}
	return s.name
}

// matches reports whether s matches a node.
func (s selector) matches(n State) bool {
	if s.name != "" && !matchesPattern(s.name, n.Name) {
		return false
	}
	for key, want := range s.labels {
		has, ok := n.Labels[key]
		if !ok || !matchesPattern(want, has) {
			return false
		}
	}
	return true
}

// CheckHost returns an error if host is not a valid selector.
func CheckHost(host string) error {
	_, err := parseSelector(host)
	return err
}

// Matches reports whether the selector host matches a node. An invalid selector matches none.
func Matches(host string, n State) bool {
	s, err := parseSelector(host)
	return err == nil && s.matches(n)
}

// matchesPattern reports whether value matches a valid pattern.
func matchesPattern(pattern, value string) bool {
	ok, err := path.Match(pattern, value)
	return err == nil && ok
}

// Limits on the number of a node's labels, and on the length of each in bytes.
const (
	maxLabels  = 32
	maxLabel   = 128
	labelShown = 20 // bytes that an error shows of a label that is too long
)

// unprintable reports whether a character cannot be shown in a line of text.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// ParseLabels parses labels in the form key=value.
func ParseLabels(list []string) (map[string]string, error) {
	if len(list) > maxLabels {
		return nil, fmt.Errorf("%d labels; the maximum is %d", len(list), maxLabels)
	}
	labels := map[string]string{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		switch {
		case len(text) > maxLabel:
			return nil, fmt.Errorf("the label %q… has %d bytes; the maximum is %d", text[:labelShown], len(text), maxLabel)
		case !ok || key == "" || value == "" || strings.ContainsAny(text, `,*?[]\ `) || strings.ContainsFunc(text, unprintable):
			return nil, fmt.Errorf("invalid label %q (example: gpu=a100; no blanks, commas or wildcards)", text)
		}
		if _, twice := labels[key]; twice || key == "os" || key == "arch" {
			return nil, fmt.Errorf("label %q is set twice (os and arch are set by the node itself)", key)
		}
		labels[key] = value
	}
	return labels, nil
}
