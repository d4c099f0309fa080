package fleet

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// A selector says which nodes are meant: those with a name that fits a pattern, or with
// all of some labels. The zero value fits all nodes.
type selector struct {
	name   string            // a pattern of package path, "" for any
	labels map[string]string // patterns too
}

// parseSelector reads a node's name, with * for any characters, or labels such as
// os=linux,gpu=a100.
func parseSelector(text string) (selector, error) {
	if !strings.Contains(text, "=") {
		s := selector{name: text}
		return s, s.check(text)
	}
	s := selector{labels: map[string]string{}}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || key == "" {
			return s, badSelector(text)
		}
		s.labels[key] = value
	}
	return s, s.check(text)
}

// badSelector refuses text.
func badSelector(text string) error {
	return fmt.Errorf("invalid host %q (examples: build7, build*, gpu=a100, os=linux,arch=arm64)", text)
}

// check returns an error when a pattern is none.
func (s selector) check(text string) error {
	patterns := append(slices.Collect(maps.Values(s.labels)), s.name)
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return badSelector(text)
		}
	}
	return nil
}

// exact returns the name of the only node that can be meant, "" where several can.
func (s selector) exact() string {
	if s.labels != nil || strings.ContainsAny(s.name, `*?[\`) {
		return ""
	}
	return s.name
}

// fits reports whether a node is meant.
func (s selector) fits(n State) bool {
	if s.name != "" && !matches(s.name, n.Name) {
		return false
	}
	for key, want := range s.labels {
		has, ok := n.Labels[key]
		if !ok || !matches(want, has) {
			return false
		}
	}
	return true
}

// CheckHost returns an error when host is no name, pattern or labels.
func CheckHost(host string) error {
	_, err := parseSelector(host)
	return err
}

// Fits reports whether a node's name or labels are what host means. A host that cannot be
// read means none.
func Fits(host string, n State) bool {
	s, err := parseSelector(host)
	return err == nil && s.fits(n)
}

// matches reports whether a value fits a pattern that was checked.
func matches(pattern, value string) bool {
	ok, err := path.Match(pattern, value)
	return err == nil && ok
}

// maxLabels and maxLabel bound the labels of a node, and the bytes of each.
const (
	maxLabels = 32
	maxLabel  = 128
)

// ParseLabels reads labels that are given as key=value.
func ParseLabels(list []string) (map[string]string, error) {
	if len(list) > maxLabels {
		return nil, fmt.Errorf("%d labels; a node may have %d", len(list), maxLabels)
	}
	labels := map[string]string{}
	for _, text := range list {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" || value == "" || len(text) > maxLabel || strings.ContainsAny(text, ",*?[]\\ \n") {
			return nil, fmt.Errorf("invalid label %q (example: gpu=a100; no blanks, commas or wildcards, at most %d characters)", text, maxLabel)
		}
		if _, twice := labels[key]; twice || key == "os" || key == "arch" {
			return nil, fmt.Errorf("label %q is there already (os and arch are set by the node itself)", key)
		}
		labels[key] = value
	}
	return labels, nil
}
