package redact

import (
	"regexp/syntax"
	"strconv"
	"strings"
	"testing"
)

// prefixes returns an expression that matches any beginning of a match of source at the end of a
// text.
func prefixes(t *testing.T, source string) string {
	t.Helper()
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return "(?:" + prefix(re) + `)\z`
}

// prefix returns an expression for all beginnings of what re matches, the longest first.
func prefix(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		return literalPrefix(re)
	case syntax.OpCapture:
		return "(" + prefix(re.Sub[0]) + ")"
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeatPrefix(re)
	case syntax.OpConcat:
		// a(?:b(?:c)?)?, where the last part that matches may be incomplete.
		out := prefix(re.Sub[len(re.Sub)-1])
		for i := len(re.Sub) - 2; i >= 0; i-- {
			out = "(?:(?:" + re.Sub[i].String() + ")(?:" + out + ")|" + prefix(re.Sub[i]) + ")"
		}
		return out
	case syntax.OpAlternate:
		parts := make([]string, len(re.Sub))
		for i, sub := range re.Sub {
			parts[i] = prefix(sub)
		}
		return "(?:" + strings.Join(parts, "|") + ")"
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return "(?:" + re.String() + ")?"
	}
	return "" // a position: it may match once the text continues
}

// literalPrefix is prefix for a literal.
func literalPrefix(re *syntax.Regexp) string {
	out := ""
	for i := len(re.Rune) - 1; i >= 0; i-- {
		one := *re
		one.Rune = re.Rune[i : i+1]
		out = "(?:" + one.String() + out + ")?"
	}
	return out
}

// repeatPrefix is prefix for a repetition.
func repeatPrefix(re *syntax.Regexp) string {
	sub := re.Sub[0]
	high := ""
	switch {
	case re.Op == syntax.OpQuest:
		return prefix(sub)
	case re.Op == syntax.OpRepeat && re.Max >= 0:
		high = strconv.Itoa(re.Max)
	}
	repeated := "(?:" + sub.String() + ")"
	if high == "" {
		repeated += "*"
	} else {
		repeated += "{0," + high + "}"
	}
	switch sub.Op {
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return repeated
	}
	return repeated + prefix(sub)
}
