package redact

import (
	"slices"
	"strings"
)

// A keyword is a text around which the expressions of some rules run.
type keyword struct {
	word  string
	rules []int // indexes of the rules
}

// A matcher finds the keywords of rules in one pass over a text, ignoring case. At each byte it
// compares only the keywords that begin with that byte and the next.
type matcher struct {
	lower  [256]byte       // the lower case of each byte; only ASCII letters change
	group  [1 << 16]uint16 // by the first two bytes of a keyword: index in groups; 0 if there is none
	groups [][]keyword
}

// newMatcher returns the matcher of the rules' keywords, which must be in lower case and have at
// least two bytes.
func newMatcher(rules []*rule) *matcher {
	m := &matcher{groups: make([][]keyword, 1)}
	for c := range m.lower {
		m.lower[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			m.lower[c] = byte(c - 'A' + 'a')
		}
	}
	for i, r := range rules {
		for _, word := range r.Keywords {
			m.add(word, i)
		}
	}
	return m
}

// add adds a keyword of a rule.
func (m *matcher) add(word string, rule int) {
	g := &m.group[m.pair(word)]
	if *g == 0 {
		*g = uint16(len(m.groups))
		m.groups = append(m.groups, nil)
	}
	words := &m.groups[*g]
	i := slices.IndexFunc(*words, func(k keyword) bool { return k.word == word })
	if i < 0 {
		i = len(*words)
		*words = append(*words, keyword{word: word})
	}
	(*words)[i].rules = append((*words)[i].rules, rule)
}

// pair returns the first two bytes of text, in lower case, as an index of group. text must have
// two bytes.
func (m *matcher) pair(text string) int {
	return int(m.lower[text[0]])<<8 | int(m.lower[text[1]])
}

// scan calls hit for every occurrence of a keyword in text, with the indexes of the keyword's rules
// and its span.
func (m *matcher) scan(text string, hit func(rules []int, at Span)) {
	for from := range max(len(text)-1, 0) {
		g := m.group[m.pair(text[from:])]
		if g == 0 {
			continue
		}
		for _, k := range m.groups[g] {
			to := from + len(k.word)
			if to <= len(text) && strings.EqualFold(text[from:to], k.word) {
				hit(k.rules, Span{from, to})
			}
		}
	}
}
