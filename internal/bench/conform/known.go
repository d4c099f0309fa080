package conform

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A Rule explains differences that we chose. It is one line of testdata/known.txt:
//
//	recording | checkpoint | oracle | what | agrees | reason
//
// The first four fields are patterns for path.Match. Checkpoint "resized" stands for all checkpoints
// after a resize of the main screen. Agrees names the oracle that shows the same as we do, which the
// test verifies. "lines" means that @xterm/headless or tmux has the same logical lines with the same
// styles, but in other rows. "manual" means that no oracle agrees, and that the reason cites the
// manual that we follow.
type Rule struct {
	Recording, Checkpoint, Oracle, What, Agrees, Reason string

	line int
	used int // differences that it has explained
}

// ParseRules reads testdata/known.txt.
func ParseRules(text string) ([]*Rule, error) {
	var out []*Rule
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", 6)
		if len(f) != 6 {
			return nil, fmt.Errorf("line %d has %d fields, not 6: %q", i+1, len(f), line)
		}
		for k := range f {
			f[k] = strings.TrimSpace(f[k])
		}
		out = append(out, &Rule{f[0], f[1], f[2], f[3], f[4], f[5], i + 1, 0})
	}
	return out, nil
}

// A place is where a difference was found, with the screens of all oracles there.
type place struct {
	recording string
	resized   bool
	oracle    string
	ours      Screen
	oracles   map[string]Screen
	found     map[string][]Difference // by oracle, if it was compared
	lines     map[string]bool         // by oracle: whether it has the same lines
}

// differences returns the differences from the named oracle. It compares only once.
func (p place) differences(name string) []Difference {
	d, ok := p.found[name]
	if !ok {
		d = Compare(p.ours, p.oracles[name], traits(name))
		p.found[name] = d
	}
	return d
}

// explain returns the rule that explains d, or nil.
func (p place) explain(d Difference, rules []*Rule) *Rule {
	for _, r := range rules {
		if match(r.Recording, p.recording) && match(r.Oracle, p.oracle) && match(r.What, d.What) &&
			(r.Checkpoint == "resized" && p.resized || match(r.Checkpoint, p.ours.Label)) &&
			p.agrees(r.Agrees, d) {
			r.used++
			return r
		}
	}
	return nil
}

// agrees reports whether the named oracle shows the same as we do at d.
func (p place) agrees(name string, d Difference) bool {
	switch name {
	case "manual":
		return true
	case "lines":
		return p.sameLines("headless") || p.sameLines("tmux")
	}
	if _, ok := p.oracles[name]; !ok || (d.What == "wrap" || d.What == "pending") && !traits(name).Wrap {
		return false
	}
	return !slices.ContainsFunc(p.differences(name), func(e Difference) bool {
		return e.What == d.What && e.Row == d.Row
	})
}

// sameLines reports whether the named oracle has the same logical lines.
func (p place) sameLines(name string) bool {
	s, ok := p.oracles[name]
	if !ok {
		return false
	}
	same, known := p.lines[name]
	if !known {
		same = sameLines(p.ours, s, traits(name))
		p.lines[name] = same
	}
	return same
}

// traits returns what the named oracle can report.
func traits(name string) Traits {
	switch name {
	case "headless":
		return HeadlessTraits()
	case "tmux":
		return Traits{Name: name, Wrap: true}
	}
	return XTermTraits()
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, strings.ReplaceAll(name, "/", "_"))
	return ok && err == nil
}
