package redact

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

const (
	// openReach is how much of a text's end is searched for the beginning of a secret.
	openReach = 1 << 10
	// openLeast is how many bytes of a value count as the beginning of a secret: "key: 12"
	// does not.
	openLeast = 6
	// openBefore is how much before a keyword may belong to such a secret.
	openBefore = 80
)

// open returns where a secret begins that may continue after text, or len(text).
func (set *ruleSet) open(text string) int {
	base := max(0, len(text)-openReach)
	end := text[base:]
	from := len(end)
	set.matcher.scan(end, func(keyword, at int) {
		for _, i := range set.by[keyword] {
			r := set.rules[i]
			after := at + set.matcher.lens[keyword]
			if len(end)-at > r.after {
				continue
			}
			from = min(from, r.openAt(end, at, after))
		}
	})
	return base + from
}

// openAt returns where the secret begins in an incomplete match of r at the end of text,
// around the keyword from at to end, or len(text).
func (r *rule) openAt(text string, at, end int) int {
	r.part.Do(func() { r.open = prefixes(r.source) })
	if r.open == nil {
		return len(text)
	}
	base := max(0, at-min(r.before, openBefore))
	m := r.open.FindStringSubmatchIndex(text[base:])
	if m == nil || base+m[0] > at {
		return len(text)
	}
	if r.solid || len(m) == 2 {
		if end == len(text) {
			return len(text) // a keyword alone does not count
		}
		return base + m[0]
	}
	from := len(text)
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] >= 0 && m[g+1]-m[g] >= openLeast {
			from = min(from, base+m[g])
		}
	}
	return from
}

// prefixes returns the expression that matches any beginning of a match of source at the
// end of a text; nil when that would be too large.
func prefixes(source string) *regexp.Regexp {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil
	}
	open, err := regexp.Compile("(?:" + prefix(re) + `)\z`)
	if err != nil {
		return nil // package regexp allows a thousand repetitions
	}
	return open
}

// prefix returns an expression for every beginning of what re matches, the longest
// first.
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

// repeatPrefix is prefix for something that is repeated.
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
