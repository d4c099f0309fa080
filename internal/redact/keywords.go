package redact

// A matcher finds a set of keywords in one pass over a text, in upper or lower case. It is
// the automaton of Aho and Corasick (CACM 18, 1975) with all transitions in a table.
// Libraries for it follow failure links byte by byte, which is slower.
type matcher struct {
	class [256]uint8 // of a byte; 0 is in no keyword
	shift uint8      // a row of next has 1<<shift entries
	next  []uint16   // by state and class
	out   [][]uint16 // by state: the keywords that end there
	lens  []int      // of the keywords
}

// newMatcher returns the matcher of keywords, which must be in lower case and not empty.
func newMatcher(keywords []string) *matcher {
	m := &matcher{lens: make([]int, len(keywords))}
	classes := m.classify(keywords)
	for 1<<m.shift < classes {
		m.shift++
	}
	m.addState()
	for k, word := range keywords {
		m.lens[k] = len(word)
		at := 0
		for i := range len(word) {
			edge := at<<m.shift | int(m.class[word[i]])
			if m.next[edge] == 0 {
				m.next[edge] = uint16(m.addState())
			}
			at = int(m.next[edge])
		}
		m.out[at] = append(m.out[at], uint16(k))
	}
	m.link(classes)
	return m
}

// classify assigns a class to each byte of the keywords and its upper case, and returns the
// number of classes.
func (m *matcher) classify(keywords []string) int {
	classes := 1
	for _, word := range keywords {
		for i := range len(word) {
			c := word[i]
			if m.class[c] != 0 {
				continue
			}
			m.class[c] = uint8(classes)
			if 'a' <= c && c <= 'z' {
				m.class[c-'a'+'A'] = uint8(classes)
			}
			classes++
		}
	}
	return classes
}

// addState appends a state and returns its number.
func (m *matcher) addState() int {
	m.next = append(m.next, make([]uint16, 1<<m.shift)...)
	m.out = append(m.out, nil)
	return len(m.out) - 1
}

// link fills in the transitions that leave a keyword, breadth first.
func (m *matcher) link(classes int) {
	fail := make([]int, len(m.out))
	var queue []int
	for c := range classes {
		if to := int(m.next[c]); to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		m.out[at] = append(m.out[at], m.out[fail[at]]...)
		for c := range classes {
			edge, other := at<<m.shift|c, m.next[fail[at]<<m.shift|c]
			if to := int(m.next[edge]); to != 0 {
				fail[to] = int(other)
				queue = append(queue, to)
			} else {
				m.next[edge] = other
			}
		}
	}
}

// scan calls hit for every keyword in text, with its number and the byte where it begins.
func (m *matcher) scan(text string, hit func(keyword, at int)) {
	at := 0
	for i := range len(text) {
		at = int(m.next[at<<m.shift|int(m.class[text[i]])])
		if m.out[at] == nil {
			continue
		}
		for _, k := range m.out[at] {
			hit(int(k), i+1-m.lens[k])
		}
	}
}
