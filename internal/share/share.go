// Package share limits a number of items, such as connections, fairly among their owners.
// When a Table is full, the owner with the most items loses one: an idle one first, and of
// these the one unused for longest.
package share

import "sync"

// An Owner owns items. Items of one Name are counted together, and within them those of one
// Source.
type Owner struct {
	Name   string // of the client's token; "" before it has presented one
	Source string // the client's address, or another name for its origin
}

// A Table holds at most so many items. It is safe for concurrent use.
type Table[T comparable] struct {
	max  int
	drop func(T)

	mu    sync.Mutex // guards what follows
	items map[T]*entry
	clock uint64 // counts uses
}

// An entry describes an item.
type entry struct {
	owner Owner
	used  uint64 // the clock when it was last used
	busy  int    // uses that have not ended
}

// New returns an empty Table for at most limit items. The Table calls drop, without its lock,
// with an item that it has removed to make room.
func New[T comparable](limit int, drop func(T)) *Table[T] {
	return &Table[T]{max: limit, drop: drop, items: map[T]*entry{}}
}

// Add adds an item. When the Table is full, it removes another one. It reports false, and adds
// nothing, if the item's owner has at least as many items as any other and all of them are
// busy. It does not change an item that is in the Table already.
func (t *Table[T]) Add(item T, o Owner) bool {
	t.mu.Lock()
	if t.items[item] != nil {
		t.mu.Unlock()
		return true
	}
	var gone T
	full := len(t.items) >= t.max
	if full {
		var ok bool
		if gone, ok = t.victimLocked(o); !ok {
			t.mu.Unlock()
			return false
		}
		delete(t.items, gone)
	}
	t.clock++
	t.items[item] = &entry{owner: o, used: t.clock}
	t.mu.Unlock()
	if full {
		t.drop(gone)
	}
	return true
}

// victimLocked returns the item to remove for a new one of o.
func (t *Table[T]) victimLocked(o Owner) (victim T, ok bool) {
	names, owners := map[string]int{o.Name: 1}, map[Owner]int{o: 1}
	for _, e := range t.items {
		names[e.owner.Name]++
		owners[e.owner]++
	}
	var worst *entry
	for item, e := range t.items {
		if worst == nil || before(e, worst, names, owners) {
			victim, worst = item, e
		}
	}
	return victim, worst != nil && (worst.busy == 0 || names[worst.owner.Name] > names[o.Name])
}

// before reports whether a is to be removed before b.
func before(a, b *entry, names map[string]int, owners map[Owner]int) bool {
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

// Begin marks an item as busy until End, and makes o its owner.
func (t *Table[T]) Begin(item T, o Owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.owner, e.used = o, t.clock
		e.busy++
	}
}

// End ends a use that Begin has begun.
func (t *Table[T]) End(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.used = t.clock
		e.busy--
	}
}

// Use records a use of an item that ends at once.
func (t *Table[T]) Use(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.used = t.clock
	}
}

// Remove removes an item, and reports whether it was there.
func (t *Table[T]) Remove(item T) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.items[item]
	delete(t.items, item)
	return ok
}

// Owner returns the owner of an item.
func (t *Table[T]) Owner(item T) (o Owner, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		return e.owner, true
	}
	return Owner{}, false
}

// Len returns how many items there are.
func (t *Table[T]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.items)
}

// Idle returns the items that are not busy.
func (t *Table[T]) Idle() (idle []T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for item, e := range t.items {
		if e.busy == 0 {
			idle = append(idle, item)
		}
	}
	return idle
}
