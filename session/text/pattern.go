package text

import (
	"regexp"
	"regexp/syntax"
)

// MaxPatternWork is the most steps that a pattern may need for one character.
const MaxPatternWork = 10_000

// PatternWork returns how many steps pattern may need for one character of the text,
// which is the number of its instructions.
func PatternWork(pattern *regexp.Regexp) int {
	tree, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil {
		return MaxPatternWork
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return MaxPatternWork
	}
	return len(prog.Inst)
}
