package redact

const (
	// incompleteReach is the number of bytes at the end of a text that are searched for the
	// beginning of a secret.
	incompleteReach = 1 << 10
	// minIncomplete is the minimum length in bytes of a value that may be the beginning of a secret.
	// The value in "key: 12" is too short.
	minIncomplete = 6
	// incompleteBefore is the maximum number of bytes before a keyword that may belong to the
	// beginning of a secret.
	incompleteBefore = 80
)

// incompleteFrom returns the offset of the first secret that may continue after text, or len(text).
func (set *ruleSet) incompleteFrom(text string) int {
	base := max(0, len(text)-incompleteReach)
	end := text[base:]
	from := len(end)
	set.matcher.scan(end, func(rules []int, at Span) {
		for _, i := range rules {
			if r := set.Rules[i]; len(end)-at.From <= r.After {
				from = min(from, r.incompleteAt(end, at))
			}
		}
	})
	return base + from
}

// incompleteAt searches for the beginning of a match of r that contains the keyword in at and extends
// to the end of text. It returns the offset of the secret in it, or len(text) if none is long enough.
func (r *rule) incompleteAt(text string, at Span) int {
	base := max(0, at.From-min(r.Before, incompleteBefore))
	m := r.open().FindStringSubmatchIndex(text[base:])
	if m == nil || base+m[0] > at.From {
		return len(text)
	}
	if r.Solid || len(m) == 2 {
		if at.To == len(text) {
			return len(text) // a keyword alone is not the beginning of a secret
		}
		return base + m[0]
	}
	from := len(text)
	for g := 2; g+1 < len(m); g += 2 {
		if m[g] >= 0 && m[g+1]-m[g] >= minIncomplete {
			from = min(from, base+m[g])
		}
	}
	return from
}
