package session

import (
	"fmt"
	"time"
)

// KeyboardState says whose turn it is to type.
type KeyboardState string

// The states of a session's keyboard.
const (
	KeyboardFree   KeyboardState = "free"   // tool calls type
	KeyboardPaused KeyboardState = "paused" // nobody types
	KeyboardHeld   KeyboardState = "held"   // one person types
)

const (
	// HoldGrace is how long the keyboard waits for the person who holds it and
	// whose last connection is gone; then it is given back.
	HoldGrace = time.Minute
	// PauseGrace is the same for the person who paused the session.
	PauseGrace = 15 * time.Minute
	// maxPersonName bounds the name and the id of a person, and maxGiveNote the
	// note with which one gives the keyboard back, in bytes.
	maxPersonName = 64
	maxGiveNote   = 1000
	// maxPersons bounds the people who attend one session at a time.
	maxPersons = 1000
)

// A Person is somebody who watches sessions and may step in: one browser, or
// one attached terminal.
type Person struct {
	ID   string // unique among people
	Name string // shown to others and to the agent; "a person" when empty
}

// String returns the person's name.
func (p Person) String() string {
	if p.Name == "" {
		return "a person"
	}
	return p.Name
}

// A Keyboard says who may type, who decided so, and since when.
type Keyboard struct {
	State KeyboardState
	By    Person    // the zero Person while free
	Since time.Time // zero while free and never taken
	// Leaving is when the keyboard is given back because By is not there any
	// more; zero while By is.
	Leaving time.Time
}

// A keyboard decides who types. It has no clock and no lock: its owner guards it.
type keyboard struct {
	now     Keyboard
	present map[string]int // connections of each person, by id
	// changes counts the changes of now; a timer set before the last is late.
	changes uint64
}

// set makes k the state.
func (b *keyboard) set(k Keyboard) {
	b.now = k
	b.changes++
}

// state returns the state with its zero value named.
func (b *keyboard) state() Keyboard {
	k := b.now
	if k.State == "" {
		k.State = KeyboardFree
	}
	return k
}

// refuses returns why by, nil for a tool call, may not type; nil when it may.
func (b *keyboard) refuses(by *Person) error {
	k := b.state()
	at := k.Since.Format(time.TimeOnly)
	switch {
	case by == nil && k.State == KeyboardPaused:
		return fmt.Errorf("%w: %s has paused this session since %s", ErrHeld, k.By, at)
	case by == nil && k.State == KeyboardHeld:
		return fmt.Errorf("%w: %s has taken over this session since %s", ErrHeld, k.By, at)
	case by == nil || k.State == KeyboardHeld && k.By.ID == by.ID:
		return nil
	case k.State == KeyboardHeld:
		return fmt.Errorf("%w: %s has it since %s", ErrNotHeld, k.By, at)
	}
	return fmt.Errorf("%w: take over first", ErrNotHeld)
}

// leftBy reports whether p, by another connection, had the keyboard and has gone.
func (k Keyboard) leftBy(p Person) bool {
	return !k.Leaving.IsZero() && p.Name != "" && k.By.Name == p.Name
}

// takes changes the state for p: to paused or held. Who holds the keyboard
// keeps it, but for a person who forces it, or who has left it himself.
func (b *keyboard) takes(p Person, to KeyboardState, force bool, now time.Time) error {
	k := b.state()
	if k.State == KeyboardHeld && k.By.ID != p.ID && !force && !k.leftBy(p) {
		return fmt.Errorf("%w: %s has it since %s", ErrNotHeld, k.By, k.Since.Format(time.TimeOnly))
	}
	if k.State == to && k.By.ID == p.ID {
		return nil
	}
	next := Keyboard{State: to, By: p, Since: now}
	if b.present[p.ID] == 0 {
		next.Leaving = now.Add(grace(to))
	}
	b.set(next)
	return nil
}

// gives frees the keyboard for p. A pause may be lifted by anybody.
func (b *keyboard) gives(p Person, force bool, now time.Time) (was Keyboard, err error) {
	was = b.state()
	switch {
	case was.State == KeyboardFree:
		return was, fmt.Errorf("%w: nobody has it, and tool calls may type", ErrNotHeld)
	case was.State == KeyboardHeld && was.By.ID != p.ID && !force:
		return was, fmt.Errorf("%w: %s has it since %s", ErrNotHeld, was.By, was.Since.Format(time.TimeOnly))
	}
	b.set(Keyboard{State: KeyboardFree, Since: now})
	return was, nil
}

// grace is how long a state outlives the presence of who made it.
func grace(of KeyboardState) time.Duration {
	if of == KeyboardPaused {
		return PauseGrace
	}
	return HoldGrace
}

// comes notes one more connection of p.
func (b *keyboard) comes(p Person) error {
	if b.present == nil {
		b.present = map[string]int{}
	}
	if len(b.present) >= maxPersons && b.present[p.ID] == 0 {
		return fmt.Errorf("%w: %d people attend this session, the most there may be", ErrTooMany, maxPersons)
	}
	b.present[p.ID]++
	if b.now.By.ID == p.ID && !b.now.Leaving.IsZero() {
		k := b.now
		k.Leaving = time.Time{}
		b.set(k)
	}
	return nil
}

// goes notes that a connection of p has ended.
func (b *keyboard) goes(p Person, now time.Time) {
	if b.present[p.ID]--; b.present[p.ID] > 0 {
		return
	}
	delete(b.present, p.ID)
	if k := b.now; k.By.ID == p.ID && k.State != KeyboardFree && k.State != "" {
		k.Leaving = now.Add(grace(k.State))
		b.set(k)
	}
}

// restore makes k, as another server has left it, the state. Nobody is connected
// to this one yet: who holds the keyboard has the usual time to come back.
func (b *keyboard) restore(k Keyboard, now time.Time) {
	if k.State != KeyboardFree && k.State != "" {
		k.Leaving = now.Add(grace(k.State))
	}
	b.set(k)
}

// lapses frees the keyboard when its holder has been away too long, and
// returns the state before.
func (b *keyboard) lapses(now time.Time) (was Keyboard, ok bool) {
	if k := b.now; k.Leaving.IsZero() || now.Before(k.Leaving) {
		return Keyboard{}, false
	}
	was = b.now
	b.set(Keyboard{State: KeyboardFree, Since: now})
	return was, true
}
