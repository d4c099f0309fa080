package redact

import (
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

const (
	// openReach is the number of bytes at the end of a text that are searched for the
	// beginning of a secret.
	openReach = 1 << 10
	// openLeast is the minimum number of bytes of a value that count as the beginning of a
	// secret: "key: 12" is too short.
	openLeast = 6
	// openBefore is the maximum number of bytes before a keyword that may belong to such a secret.
	openBefore = 80
)

// open returns the offset of a secret that may continue after text, or len(text).
func (set *ruleSet) open(text string) int {
	base := max(0, len(text)-openReach)
	end := text[base:]
	from := len(end)
	set.matcher.scan(end, func(rules []int, at Span) {
		for _, i := range rules {
			if r := set.rules[i]; len(end)-at.From <= r.after {
				from = min(from, r.openAt(end, at))
			}
		}
	})
	return base + from
}

// openAt returns the offset of the secret in an incomplete match of r at the end of text,
// around the keyword at a place, or len(text).
func (r *rule) openAt(text string, at Span) int {
	open := r.open()
	if open == nil {
		return len(text)
	}
	base := max(0, at.From-min(r.before, openBefore))
	m := open.FindStringSubmatchIndex(text[base:])
	if m == nil || base+m[0] > at.From {
		return len(text)
	}
	if r.solid || len(m) == 2 {
		if at.To == len(text) {
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

// prefixes returns an expression that matches any beginning of a match of source at the end
// of a text, or nil if it would be too large.
func prefixes(source string) *regexp.Regexp {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil
	}
	open, err := regexp.Compile("(?:" + prefix(re) + `)\z`)
	if err != nil {
		return nil // package regexp allows at most a thousand repetitions
	}
	return open
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
