package redact

import (
	"regexp/syntax"
	"strings"
)

// A shape describes the matches of an expression, in bytes, as if every character were one byte.
type shape struct {
	shortest, longest int  // longest is at most unbounded
	blanks            bool // a match may contain a blank or line end
}

// unbounded is the assumed length of a match without a limit. A window that such a match
// fills is extended.
const unbounded = 1 << 12

// shapeOf returns the shape of an expression, or of the beginning of one.
func shapeOf(source string) shape {
	re, err := syntax.Parse(source, syntax.Perl)
	for err != nil && source != "" { // the closing parentheses may be in the missing rest
		source += ")"
		if strings.HasSuffix(source, "))))") {
			return shape{0, unbounded, true}
		}
		re, err = syntax.Parse(source, syntax.Perl)
	}
	if err != nil {
		return shape{0, unbounded, true}
	}
	return measure(re)
}

// measure returns the shape of a parsed expression.
func measure(re *syntax.Regexp) shape {
	switch re.Op {
	case syntax.OpLiteral:
		return shape{len(re.Rune), len(re.Rune), strings.ContainsAny(string(re.Rune), " \t\r\n")}
	case syntax.OpCharClass:
		blank := false
		for i := 0; i < len(re.Rune); i += 2 {
			blank = blank || re.Rune[i] <= ' ' && ' ' <= re.Rune[i+1]
		}
		return shape{1, 1, blank}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return shape{1, 1, true}
	case syntax.OpCapture:
		return measure(re.Sub[0])
	case syntax.OpStar:
		return measure(re.Sub[0]).times(0, -1)
	case syntax.OpPlus:
		return measure(re.Sub[0]).times(1, -1)
	case syntax.OpQuest:
		return measure(re.Sub[0]).times(0, 1)
	case syntax.OpRepeat:
		return measure(re.Sub[0]).times(re.Min, re.Max)
	case syntax.OpConcat:
		var out shape
		for _, sub := range re.Sub {
			s := measure(sub)
			out = shape{out.shortest + s.shortest, min(out.longest+s.longest, unbounded), out.blanks || s.blanks}
		}
		return out
	case syntax.OpAlternate:
		out := measure(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			s := measure(sub)
			out = shape{min(out.shortest, s.shortest), max(out.longest, s.longest), out.blanks || s.blanks}
		}
		return out
	}
	return shape{} // it matches only a position
}

// times returns the shape of s repeated from low to high times; high is -1 for no limit.
func (s shape) times(low, high int) shape {
	longest := unbounded
	if high >= 0 {
		longest = min(s.longest*high, unbounded)
	}
	return shape{s.shortest * low, longest, s.blanks}
}
