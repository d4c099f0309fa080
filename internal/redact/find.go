package redact

import "strings"

// A window is a part of the text over which a rule's expression runs.
type window struct {
	from, to int // to is 0 if there is no window
}

// find returns the secrets that the rules find, in no particular order.
func (set *ruleSet) find(text string) []Span {
	var found []Span
	var pending []window // by index of the rule: the window not searched yet; allocated at the first keyword
	set.matcher.scan(text, func(rules []int, at Span) {
		for _, i := range rules {
			r := set.Rules[i]
			if !r.mayMatch(text, at) {
				continue
			}
			if pending == nil {
				pending = make([]window, len(set.Rules))
			}
			w := &pending[i]
			from, to := max(0, at.From-r.Before), min(len(text), at.From+r.After)
			if w.to > 0 && from <= w.to {
				w.to = max(w.to, to)
				continue
			}
			if w.to > 0 {
				found = set.search(found, r, text, *w)
				from = max(from, w.to)
			}
			*w = window{from, to}
		}
	})
	for i, w := range pending {
		if w.to > 0 {
			found = set.search(found, set.Rules[i], text, w)
		}
	}
	return found
}

// mayMatch reports whether the expression may match around the keyword at the span at. Most keywords in a text
// are ordinary words, and mayMatch is much faster than the expression.
func (r *rule) mayMatch(text string, at Span) bool {
	switch {
	case r.Run > 0:
		n := 0
		for i := at.From; i < len(text) && text[i] > ' ' && n < r.Run; i++ {
			n++
		}
		for i := at.From - 1; i >= 0 && text[i] > ' ' && n < r.Run; i-- {
			n++
		}
		return n >= r.Run
	case r.Assigns:
		return isAssignment(text[at.To:min(len(text), at.To+assignReach)])
	}
	return true
}

const (
	// assignReach is the number of bytes after a keyword that are checked for an
	// assignment.
	assignReach = 48
	// shortestValue is the minimum length of an assigned value, in bytes.
	shortestValue = 8
)

// isAssignment reports whether text, which follows a keyword, may be the rest of an assignment: the
// rest of a name, an operator and a value. A value needs at least shortestValue bytes, unless it
// reaches the end of a text of assignReach bytes, after which it may continue.
func isAssignment(text string) bool {
	i := 0
	for i < len(text) && strings.IndexByte("=>:|?,", text[i]) < 0 {
		if c := text[i]; c > ' ' && !isNameByte(c) && c != '"' && c != '\'' {
			return false
		}
		i++
	}
	if i == len(text) {
		return false
	}
	for i < len(text) && strings.IndexByte("=>:|?,`'\" \t\r\n", text[i]) >= 0 {
		i++
	}
	value := i
	for i < len(text) && text[i] > ' ' {
		i++
	}
	return i-value >= shortestValue || i == len(text) && len(text) == assignReach
}

// isNameByte reports whether c may be part of a name.
func isNameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// search appends the secrets that r finds in a window of text. It extends the window while a match
// reaches the window's end.
func (set *ruleSet) search(found []Span, r *rule, text string, w window) []Span {
	for {
		last := 0
		n := len(found)
		for _, at := range r.re().FindAllStringSubmatchIndex(text[w.from:w.to], -1) {
			last = at[1]
			for i := range at {
				if at[i] >= 0 {
					at[i] += w.from
				}
			}
			if s, ok := set.secret(r, text, at); ok {
				found = append(found, s)
			}
		}
		if w.from+last < w.to || w.to == len(text) {
			return found
		}
		// The match may continue, so search twice as much.
		found = found[:n]
		w.to = min(len(text), w.to+(w.to-w.from))
	}
}

// secret returns the secret in a match of r. ok is false if the match contains none.
func (set *ruleSet) secret(r *rule, text string, at []int) (Span, bool) {
	s := r.secretSpan(text, at)
	if s.To-s.From < MinSecret {
		return s, false
	}
	secret := text[s.From:s.To]
	if r.Mixed {
		return s, mixed(secret)
	}
	if r.hasKeyword(secret) {
		return s, true
	}
	if entropyOf(secret) <= r.Entropy {
		return s, false
	}
	match := Span{at[0], at[1]}
	if set.Allow.allowed(text, match, s) {
		return s, false
	}
	for _, a := range r.Allow {
		if a.allowed(text, match, s) {
			return s, false
		}
	}
	return s, true
}
