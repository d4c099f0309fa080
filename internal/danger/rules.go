package danger

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
)

// The bounds of a file of rules.
const (
	maxRules    = 1000
	maxRuleLine = 4096 // bytes
)

// Rules are a user's own, beside the built-in ones. The zero value has none.
type Rules struct {
	deny, allow []Rule
}

// A Rule is one line of a file of rules.
type Rule struct {
	Name    string
	Pattern *regexp.Regexp
	Reason  string // why, "" when the file does not say
}

// reason says why the rule holds a line.
func (r Rule) reason() string {
	if r.Reason == "" {
		return "is denied by the rule " + r.Name
	}
	return r.Reason
}

// Len returns how many rules there are.
func (r *Rules) Len() int { return len(r.deny) + len(r.allow) }

// denied returns the deny rules that match somewhere in text.
func (r *Rules) denied(text string) []Rule {
	var out []Rule
	for _, d := range r.deny {
		if d.Pattern.MatchString(text) {
			out = append(out, d)
		}
	}
	return out
}

// allows reports whether an allow rule matches the whole of text, and no deny
// rule any part of it.
func (r *Rules) allows(text string) bool {
	text = strings.TrimSpace(text)
	for _, a := range r.allow {
		if a.Pattern.MatchString(text) {
			return len(r.denied(text)) == 0
		}
	}
	return false
}

// ReadRules reads the rules in the file at path. The error wraps ErrRules and
// names the line, what is wrong with it, and the form of a rule.
func ReadRules(path string) (Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return Rules{}, fmt.Errorf("%w: %w", ErrRules, err)
	}
	defer f.Close()
	r, err := ParseRules(f)
	if err != nil {
		return Rules{}, fmt.Errorf("%w: %s: %w", ErrRules, path, err)
	}
	return r, nil
}

// ParseRules reads rules, one a line:
//
//	deny  NAME /REGEX/ why
//	allow NAME /REGEX/ why
//
// REGEX is RE2, with (?s) on; a slash in it is written \/. A deny rule holds every
// line that it matches somewhere. An allow rule passes every line that it matches
// from beginning to end, and that no deny rule matches, without further checks.
// Empty lines and lines that begin with # are skipped.
func ParseRules(in io.Reader) (Rules, error) {
	var out Rules
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRuleLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if out.Len() == maxRules {
			return out, fmt.Errorf("line %d: more than %d rules", n, maxRules)
		}
		if err := out.add(line); err != nil {
			return out, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return out, fmt.Errorf("a line is longer than %d bytes, or cannot be read: %w", maxRuleLine, err)
	}
	return out, nil
}

// ruleLine is the form of a rule.
var ruleLine = regexp.MustCompile(`^(\S+)\s+([A-Za-z0-9_.-]+)\s+/((?:[^/\\]|\\.)+)/(?:\s+(.*))?$`)

// add reads one rule.
func (r *Rules) add(line string) error {
	m := ruleLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%q is no rule; write: deny NAME /REGEX/ why, or: allow NAME /REGEX/ why", shown(line))
	}
	pattern := "(?s)" + m[3]
	if m[1] == "allow" {
		pattern = "(?s)^(?:" + m[3] + ")$"
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return fmt.Errorf("rule %s: %w", m[2], err)
	}
	rule := Rule{Name: m[2], Pattern: re, Reason: m[4]}
	switch m[1] {
	case "deny":
		r.deny = append(r.deny, rule)
	case "allow":
		r.allow = append(r.allow, rule)
	default:
		return fmt.Errorf("%q is neither deny nor allow", m[1])
	}
	return nil
}
