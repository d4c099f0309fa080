package danger

import (
	"maps"
	"slices"
	"strings"
)

// Environment returns what is dangerous in starting a program with variables: those
// whose values programs run are read as commands.
func (c *Checker) Environment(env map[string]string, at Place) []Finding {
	k := &check{at: at, rules: &c.rules, steps: maxSteps}
	s := newShell(k)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if line := name + "=" + env[name]; !c.rules.allows(line) {
			s.given(name, strings.ReplaceAll(env[name], string(unknown), ""))
			k.user(line)
		}
	}
	return k.found
}

// given judges a variable that a program is started with.
func (s *shell) given(name, value string) {
	if name == "HISTFILE" {
		return // a shell of one's own that keeps no history takes none away
	}
	s.assigned(name, []field{{s: value}})
	function, isFunction := strings.CutPrefix(name, "BASH_FUNC_")
	switch {
	case isFunction:
		s.k.inside(Shell, strings.TrimSuffix(function, "%%")+" "+value)
	case name == "LESSOPEN", name == "LESSCLOSE":
		s.k.inside(Shell, strings.TrimLeft(value, "|-"))
	case strings.HasPrefix(name, "GIT_CONFIG_VALUE_"):
		s.k.inside(Shell, strings.TrimPrefix(value, "!"))
	case name == "GIT_CONFIG_PARAMETERS":
		for part := range strings.SplitSeq(value, "'") {
			_, command, _ := strings.Cut(part, "=")
			s.k.inside(Shell, strings.TrimPrefix(command, "!"))
		}
	case name == "PERL5OPT":
		s.k.inside(Perl, value)
	case name == "LD_AUDIT":
		s.assigned("LD_PRELOAD", []field{{s: value}})
	}
}
