// Package share divides a limited number of items, such as connections, fairly among their owners.
// When a Table is full, the Name with the most items loses one. The Table prefers an idle item, then
// an item of the Source with the most items, then the least recently used one.
package share

import "sync"

// An Owner owns items. A Table counts the items of each Name, and within a Name those of each
// Source.
type Owner struct {
	Name   string // identifies a client or its token; "" until the client presents a token
	Source string // distinguishes items of one Name, for example by the client's address or page
}

// A Table holds a limited number of items by their keys. It is safe for concurrent use.
type Table[K comparable, V any] struct {
	max  int
	drop func(K, V) // called with each item that Add removes

	mu    sync.Mutex // guards the fields below
	items map[K]*entry[V]
	clock uint64 // number of additions and uses of all items so far
}

// An entry is an item with its owner and its uses.
type entry[V any] struct {
	value V
	owner Owner
	used  uint64 // Table.clock at the addition or the last use
	busy  int    // number of uses that have not ended
}

// New returns an empty Table for at most limit items. When Add removes an item to make room, it calls
// drop with that item, without the Table's lock.
func New[K comparable, V any](limit int, drop func(K, V)) *Table[K, V] {
	return &Table[K, V]{max: limit, drop: drop, items: map[K]*entry[V]{}}
}

// Add adds an item. If the Table is full, Add removes another item. Counting the new item, if another
// Name has more items than o.Name, it loses one, even a busy one. Otherwise, o.Name or a Name with as
// many items loses an idle one. If these Names have none, Add reports false and adds nothing. If the
// Table already has the item, Add changes nothing and reports true.
func (t *Table[K, V]) Add(key K, value V, o Owner) bool {
	t.mu.Lock()
	if t.items[key] != nil {
		t.mu.Unlock()
		return true
	}
	drop := func() {}
	if len(t.items) >= t.max {
		victim, ok := t.victimLocked(o)
		if !ok {
			t.mu.Unlock()
			return false
		}
		removed := t.items[victim].value
		delete(t.items, victim)
		drop = func() { t.drop(victim, removed) }
	}
	t.clock++
	t.items[key] = &entry[V]{value: value, owner: o, used: t.clock}
	t.mu.Unlock()
	drop()
	return true
}

// victimLocked returns the item to remove for a new item of o. ok is false if Add must fail.
func (t *Table[K, V]) victimLocked(o Owner) (victim K, ok bool) {
	names, owners := map[string]int{o.Name: 1}, map[Owner]int{o: 1}
	for _, e := range t.items {
		names[e.owner.Name]++
		owners[e.owner]++
	}
	var worst *entry[V]
	for key, e := range t.items {
		if worst == nil || before(e, worst, names, owners) {
			victim, worst = key, e
		}
	}
	return victim, worst != nil && (worst.busy == 0 || names[worst.owner.Name] > names[o.Name])
}

// before reports whether a should be removed rather than b. names and owners contain the numbers of
// items of each Name and Owner, including the new item.
func before[V any](a, b *entry[V], names map[string]int, owners map[Owner]int) bool {
	switch m, n := names[a.owner.Name], names[b.owner.Name]; {
	case m != n:
		return m > n
	case (a.busy > 0) != (b.busy > 0):
		return a.busy == 0
	}
	if m, n := owners[a.owner], owners[b.owner]; m != n {
		return m > n
	}
	return a.used < b.used
}

// Begin marks an item as busy until a call of End, and makes o its owner. Each Begin needs an End.
func (t *Table[K, V]) Begin(key K, o Owner) {
	t.use(key, func(e *entry[V]) { e.owner, e.busy = o, e.busy+1 })
}

// End ends a use that started with Begin.
func (t *Table[K, V]) End(key K) {
	t.use(key, func(e *entry[V]) { e.busy-- })
}

// Use records a use of an item that ends at once.
func (t *Table[K, V]) Use(key K) {
	t.use(key, func(*entry[V]) {})
}

// use records a use of an item and calls do with the item's entry, if the Table has the item.
func (t *Table[K, V]) use(key K, do func(*entry[V])) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[key]; e != nil {
		t.clock++
		e.used = t.clock
		do(e)
	}
}

// Remove removes an item, and reports whether the Table had it.
func (t *Table[K, V]) Remove(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.items[key]
	delete(t.items, key)
	return ok
}

// Get returns the item with a key.
func (t *Table[K, V]) Get(key K) (value V, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[key]; e != nil {
		return e.value, true
	}
	return value, false
}

// All returns a copy of the current items.
func (t *Table[K, V]) All() map[K]V {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make(map[K]V, len(t.items))
	for key, e := range t.items {
		all[key] = e.value
	}
	return all
}

// Len returns the number of items.
func (t *Table[K, V]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.items)
}

// Idle returns the keys of the items that are not busy.
func (t *Table[K, V]) Idle() (idle []K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, e := range t.items {
		if e.busy == 0 {
			idle = append(idle, key)
		}
	}
	return idle
}
