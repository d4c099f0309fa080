// Package share bounds how many of something there are at once so that nobody takes
// all the room. When a Table is full, whoever has the most gives one up: first what is
// idle, the longest unused of it.
package share

import "sync"

// An Owner is whose something is. Items of one Name are counted together, and within
// them those of one Source.
type Owner struct {
	Name   string // of a token; "" before one was shown
	Source string // an address, or another word for where it comes from
}

// A Table holds at most so many items. It is safe for concurrent use.
type Table[T comparable] struct {
	max  int
	drop func(T)

	mu    sync.Mutex // guards what follows
	items map[T]*entry
	clock uint64 // counts uses
}

// An entry is what is known of an item.
type entry struct {
	owner Owner
	used  uint64 // the clock when it was last used
	busy  int    // uses that have not ended
}

// New returns an empty Table. It calls drop, without a lock, with an item that has to
// go; the item is not in the Table any more then.
func New[T comparable](limit int, drop func(T)) *Table[T] {
	return &Table[T]{max: limit, drop: drop, items: map[T]*entry{}}
}

// Add takes an item in. When the Table is full, another one goes. It reports false, and
// takes nothing in, when the item's owner has as much as anybody and all of it is busy.
// An item that is there already stays as it is.
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

// victimLocked returns the item that makes room for one of o's.
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

// before reports whether a goes before b.
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

// Begin says that an item is in use, now by this owner, until End.
func (t *Table[T]) Begin(item T, o Owner) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.owner, e.used = o, t.clock
		e.busy++
	}
}

// End ends what Begin began.
func (t *Table[T]) End(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.used = t.clock
		e.busy--
	}
}

// Use notes a use of an item that is over at once.
func (t *Table[T]) Use(item T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.items[item]; e != nil {
		t.clock++
		e.used = t.clock
	}
}

// Remove takes an item out, and reports whether it was there.
func (t *Table[T]) Remove(item T) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.items[item]
	delete(t.items, item)
	return ok
}

// Owner returns whose an item is.
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
