// Package control says who may type into a session: tool calls, one person, or nobody.
//
// People pause, take over and release a Keyboard, and it becomes free when its holder has
// been away for too long. A Draft is a line that was begun and not submitted; clients that
// have not seen it cannot add to it. Both are plain values without lock, clock or timer:
// their owner guards them and passes the time.
package control

import (
	"fmt"
	"time"
)

// State says who may type.
type State string

// The states of a session's keyboard.
const (
	Free   State = "free"   // tool calls type
	Paused State = "paused" // nobody types
	Held   State = "held"   // one person types
)

const (
	// HoldGrace is how long a person holds the keyboard after the person's last connection
	// has ended.
	HoldGrace = time.Minute
	// PauseGrace is the same for a session that the person has paused.
	PauseGrace = 15 * time.Minute
	// MaxNote is the maximum length of the note of Operator.GiveBack, in bytes.
	MaxNote = 1000
	// maxName is the maximum length of a person's name and id, in bytes.
	maxName = 64
	// maxPersons is the maximum number of people who attend one session at a time.
	maxPersons = 1000
)

// A Person watches sessions and may step in: one browser, or one attached terminal.
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

// Author returns the person as an Author.
func (p Person) Author() Author { return Author{ID: p.ID, Name: p.Name, Person: true} }

// Check returns an error for a person without a usable id or name.
func (p Person) Check() error {
	if p.ID == "" || len(p.ID) > maxName || len(p.Name) > maxName {
		return fmt.Errorf("a person needs an id; id and name have at most %d bytes", maxName)
	}
	return nil
}

// A Holding records who may type, who decided that, and since when.
type Holding struct {
	State State
	By    Person    // the zero Person while free
	Since time.Time // zero while free and never taken
	// FreeAt is when the keyboard becomes free because By is away; zero while By is
	// connected.
	FreeAt time.Time
}

// A Keyboard decides who types. The zero Keyboard is free.
type Keyboard struct {
	now     Holding
	present map[string]int // connections of each person, by id
	changes uint64         // counts the changes of now
}

// Changes counts the changes of the holding.
func (b *Keyboard) Changes() uint64 { return b.changes }

// Attended reports whether any person is connected.
func (b *Keyboard) Attended() bool { return len(b.present) > 0 }

// Free frees the keyboard of a session that has ended.
func (b *Keyboard) Free(now time.Time) {
	if b.Holding().State != Free {
		b.set(Holding{State: Free, Since: now})
	}
}

func (b *Keyboard) set(k Holding) {
	b.now = k
	b.changes++
}

// Holding returns who may type now.
func (b *Keyboard) Holding() Holding {
	k := b.now
	if k.State == "" {
		k.State = Free
	}
	return k
}

// Refuses returns an error if an author may not type.
func (b *Keyboard) Refuses(by Author) error {
	k := b.Holding()
	at := k.Since.Format(time.TimeOnly)
	switch {
	case !by.Person && k.State == Paused:
		return fmt.Errorf("%w: %s has paused this session since %s", ErrPersonControls, k.By, at)
	case !by.Person && k.State == Held:
		return fmt.Errorf("%w: %s has taken over this session since %s", ErrPersonControls, k.By, at)
	case !by.Person || k.State == Held && k.By.ID == by.ID:
		return nil
	case k.State == Held:
		return fmt.Errorf("%w: %s has it since %s", ErrNoKeyboard, k.By, at)
	}
	return fmt.Errorf("%w: take over first", ErrNoKeyboard)
}

// Verb returns the past participle for entering the state.
func (s State) Verb() string {
	if s == Paused {
		return "paused"
	}
	return "taken over"
}

// GivenBack returns a note that says who released the keyboard. line is the line that a person has
// begun and not submitted, and note is the person's note; both may be "".
func (k Holding) GivenBack(who, line, note string) string {
	what, end := "had taken over", "gave the keyboard back; look before you type"
	if k.State == Paused {
		what, end = "had paused the session", "ended the pause"
	}
	if who != k.By.String() {
		end = who + " " + end
	}
	say := fmt.Sprintf("%s %s since %s, and %s", k.By, what, k.Since.Format(time.TimeOnly), end)
	if line != "" {
		say += fmt.Sprintf("; a line is begun and not submitted: %q", line)
	}
	if note != "" {
		say += fmt.Sprintf(", and says: %q", note)
	}
	return say
}

// leftBy reports whether the holder has left and has the same name as p, so that p may be
// the holder under another id.
func (k Holding) leftBy(p Person) bool {
	return !k.FreeAt.IsZero() && p.Name != "" && k.By.Name == p.Name
}

// Take changes the state to Paused or Held for p. A person who holds the keyboard keeps it,
// unless p forces the change, or leftBy reports that p is the same person. Take reports
// whether the holding has changed. The error wraps ErrNoKeyboard.
func (b *Keyboard) Take(p Person, to State, force bool, now time.Time) (changed bool, err error) {
	k := b.Holding()
	if k.State == Held && k.By.ID != p.ID && !force && !k.leftBy(p) {
		return false, fmt.Errorf("%w: %s has it since %s", ErrNoKeyboard, k.By, k.Since.Format(time.TimeOnly))
	}
	if k.State == to && k.By.ID == p.ID {
		return false, nil
	}
	next := Holding{State: to, By: p, Since: now}
	if b.present[p.ID] == 0 {
		next.FreeAt = now.Add(grace(to))
	}
	b.set(next)
	return true, nil
}

// Give releases the keyboard for p. Any person may end a pause. The error wraps ErrNoKeyboard.
func (b *Keyboard) Give(p Person, force bool, now time.Time) (was Holding, err error) {
	was = b.Holding()
	switch {
	case was.State == Free:
		return was, fmt.Errorf("%w: nobody has it, and tool calls may type", ErrNoKeyboard)
	case was.State == Held && was.By.ID != p.ID && !force:
		return was, fmt.Errorf("%w: %s has it since %s", ErrNoKeyboard, was.By, was.Since.Format(time.TimeOnly))
	}
	b.set(Holding{State: Free, Since: now})
	return was, nil
}

// grace returns how long a state lasts after its person has left.
func grace(of State) time.Duration {
	if of == Paused {
		return PauseGrace
	}
	return HoldGrace
}

// Come adds a connection of p. It reports whether the holding has changed. The error wraps
// ErrTooMany.
func (b *Keyboard) Come(p Person) (changed bool, err error) {
	if b.present == nil {
		b.present = map[string]int{}
	}
	if len(b.present) >= maxPersons && b.present[p.ID] == 0 {
		return false, fmt.Errorf("%w: %d people attend this session, which is the maximum", ErrTooMany, maxPersons)
	}
	b.present[p.ID]++
	if b.now.By.ID == p.ID && !b.now.FreeAt.IsZero() {
		k := b.now
		k.FreeAt = time.Time{}
		b.set(k)
		return true, nil
	}
	return false, nil
}

// Go removes a connection of p. It reports whether the holding has changed.
func (b *Keyboard) Go(p Person, now time.Time) (changed bool) {
	if b.present[p.ID]--; b.present[p.ID] > 0 {
		return false
	}
	delete(b.present, p.ID)
	if k := b.now; k.By.ID == p.ID && k.State != Free && k.State != "" {
		k.FreeAt = now.Add(grace(k.State))
		b.set(k)
		return true
	}
	return false
}

// Restore sets the holding to that of an earlier server. Nobody is connected to this server yet, so
// the holder has the usual grace time to return.
func (b *Keyboard) Restore(k Holding, now time.Time) {
	if k.State != Free && k.State != "" {
		k.FreeAt = now.Add(grace(k.State))
	}
	b.set(k)
}

// Lapse frees the keyboard if its holder has been away for too long, and returns the
// previous holding.
func (b *Keyboard) Lapse(now time.Time) (was Holding, ok bool) {
	if k := b.now; k.FreeAt.IsZero() || now.Before(k.FreeAt) {
		return Holding{}, false
	}
	was = b.now
	b.set(Holding{State: Free, Since: now})
	return was, true
}
