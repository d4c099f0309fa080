package emulator

// An interner gives equal values the same small number, from 0 on, so that a
// cell can hold it in place of the value.
type interner[V comparable] struct {
	ids    map[V]int
	values []V
	free   []int // numbers of values that are gone
	limit  int   // how many values may be alive
}

func newInterner[V comparable](limit int) interner[V] {
	return interner[V]{ids: map[V]int{}, limit: limit}
}

// id returns v's number. It reports false when there are too many values; the
// caller then collects garbage.
func (n *interner[V]) id(v V) (int, bool) {
	if id, ok := n.ids[v]; ok {
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
	n.ids[v] = id
	return id, true
}

// marks returns a place for each number, to be set where it is in use.
func (n *interner[V]) marks() []bool { return make([]bool, len(n.values)) }

// sweep frees every number that is not marked.
func (n *interner[V]) sweep(marks []bool) {
	var zero V
	for _, id := range n.free {
		marks[id] = true // gone already
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
