package emulator

// An interner assigns small numbers, from 0, to distinct values, so that a cell can store
// the number instead of the value.
type interner[V comparable] struct {
	ids    map[V]int // the number of each value
	values []V       // by number
	free   []int     // numbers without a value, for reuse
	latest int       // the number that was last returned; its caller may not have stored it yet
	limit  int       // maximum number of values at a time
}

func newInterner[V comparable](limit int) interner[V] {
	return interner[V]{ids: map[V]int{}, limit: limit}
}

// id returns v's number, assigning one if necessary. If it reports false, the table is full,
// and the caller must collect garbage.
func (n *interner[V]) id(v V) (int, bool) {
	if id, ok := n.ids[v]; ok {
		n.latest = id
		return id, true
	}
	var id int
	switch last := len(n.free) - 1; {
	case last >= 0:
		id, n.free = n.free[last], n.free[:last]
		n.values[id] = v
	case len(n.values) < n.limit:
		id = len(n.values)
		n.values = append(n.values, v)
	default:
		return 0, false
	}
	n.ids[v], n.latest = id, id
	return id, true
}

// sweep frees the numbers that are not marked, except latest. marks has one element per number; sweep
// modifies marks.
func (n *interner[V]) sweep(marks []bool) {
	var zero V
	for _, id := range n.free {
		marks[id] = true // already free
	}
	if n.latest < len(marks) {
		marks[n.latest] = true
	}
	for id, v := range n.values {
		if marks[id] {
			continue
		}
		delete(n.ids, v)
		n.values[id] = zero
		n.free = append(n.free, id)
	}
}
