// Package control says who may type into a session: tool calls, one person, or nobody.
//
// People pause, take over and release a Keyboard. If the person who has done so is away for too
// long, the Keyboard becomes free. A Draft is a line that was begun and not submitted. Clients that
// have not seen the line cannot add to it. Keyboards and Drafts are plain values without lock,
// clock or timer: their owner guards them and passes the time.
package control

import (
	"cmp"
	"fmt"
	"time"
)

// State says who may type.
type State string

// Verb returns what a person has done to the session if the state is Paused or Held.
func (s State) Verb() string {
	if s == Paused {
		return "paused"
	}
	return "taken over"
}

// The states of a session's keyboard.
const (
	Free   State = "free"   // tool calls may type
	Paused State = "paused" // nobody may type
	Held   State = "held"   // one person may type
)

const (
	// HoldGrace is how long a person still holds the keyboard after the person's last connection
	// has ended.
	HoldGrace = time.Minute
	// PauseGrace is how long a session stays paused after the last connection of the person who has
	// paused the session has ended.
	PauseGrace = 15 * time.Minute
	// MaxNote is the maximum length of the note of Operator.GiveBack, in bytes.
	MaxNote = 1000
)

// A Person watches sessions and may step in: one browser, or one attached terminal.
type Person struct {
	ID   string // unique among people
	Name string // name shown to others and to the agent; String returns "a person" if it is empty
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

// A Holding records who may type, which person decided that, and since when.
type Holding struct {
	State State
	By    Person    // who paused or took over; the zero Person if State is Free
	Since time.Time // zero if State is Free and nobody has paused or taken over before
	// FreeAt is when the keyboard becomes free if By does not connect before. It is zero while By
	// is connected, and if State is Free.
	FreeAt time.Time
}

// taken reports whether a person has paused the session or holds the keyboard.
func (h Holding) taken() bool { return h.State == Paused || h.State == Held }

// expiring returns h with FreeAt set, for a person who is not connected. If the keyboard is free, it returns h.
func (h Holding) expiring(now time.Time) Holding {
	switch h.State {
	case Paused:
		h.FreeAt = now.Add(PauseGrace)
	case Held:
		h.FreeAt = now.Add(HoldGrace)
	}
	return h
}

// heldError returns the error for a person who needs the keyboard while the person h.By holds it.
func (h Holding) heldError() error {
	return fmt.Errorf("%w: %s has it since %s", ErrNoKeyboard, h.By, h.Since.Format(time.TimeOnly))
}

// leftBy reports whether the holder is not connected and has the same name as p. If so, p may be
// the holder, who has connected again and got another ID.
func (h Holding) leftBy(p Person) bool {
	return !h.FreeAt.IsZero() && p.Name != "" && h.By.Name == p.Name
}

// ReleaseNote returns a note that the person with the name who has released the keyboard. line is a
// line that was begun and not submitted, and note is what the person wants to say; both may be "".
func (h Holding) ReleaseNote(who, line, note string) string {
	taken, end := "had taken over", "gave the keyboard back; look before you type"
	if h.State == Paused {
		taken, end = "had paused the session", "ended the pause"
	}
	if who != h.By.String() {
		end = who + " " + end
	}
	text := fmt.Sprintf("%s %s since %s, and %s", h.By, taken, h.Since.Format(time.TimeOnly), end)
	if line != "" {
		text += fmt.Sprintf("; a line is begun and not submitted: %q", line)
	}
	if note != "" {
		text += fmt.Sprintf(", and says: %q", note)
	}
	return text
}

// A Keyboard decides who types. The zero Keyboard is free.
type Keyboard struct {
	holding     Holding        // the zero Holding means Free
	connections map[string]int // number of connections of each person, by id
	changes     uint64         // number of changes of holding
}

// Changes returns the number of changes of the holding.
func (k *Keyboard) Changes() uint64 { return k.changes }

// Attended reports whether any person is connected.
func (k *Keyboard) Attended() bool { return len(k.connections) > 0 }

func (k *Keyboard) set(h Holding) {
	k.holding = h
	k.changes++
}

// Holding returns who may type now. Its State is never "".
func (k *Keyboard) Holding() Holding {
	h := k.holding
	h.State = cmp.Or(h.State, Free)
	return h
}

// CheckTyping returns nil if the author by may type. Otherwise the error wraps ErrPersonControls
// for a client, or ErrNoKeyboard for a person.
func (k *Keyboard) CheckTyping(by Author) error {
	h := k.Holding()
	since := h.Since.Format(time.TimeOnly)
	switch {
	case !by.Person && h.State == Paused:
		return fmt.Errorf("%w: %s has paused this session since %s", ErrPersonControls, h.By, since)
	case !by.Person && h.State == Held:
		return fmt.Errorf("%w: %s has taken over this session since %s", ErrPersonControls, h.By, since)
	case !by.Person || h.State == Held && h.By.ID == by.ID:
		return nil
	case h.State == Held:
		return h.heldError()
	}
	return fmt.Errorf("%w: take over first", ErrNoKeyboard)
}

// Take changes the state to Paused or Held for p, and reports whether the holding has changed. If another
// person holds the keyboard, Take fails, and the error wraps ErrNoKeyboard, unless force is set or leftBy
// reports that p may be the same person. If another person has only paused the session, Take succeeds.
func (k *Keyboard) Take(p Person, to State, force bool, now time.Time) (changed bool, err error) {
	h := k.Holding()
	if h.State == Held && h.By.ID != p.ID && !force && !h.leftBy(p) {
		return false, h.heldError()
	}
	if h.State == to && h.By.ID == p.ID {
		return false, nil
	}
	next := Holding{State: to, By: p, Since: now}
	if k.connections[p.ID] == 0 {
		next = next.expiring(now)
	}
	k.set(next)
	return true, nil
}

// Release releases the keyboard for p and returns the previous holding. Any person may end a pause. If another
// person holds the keyboard, only force releases it. If it is not released, the error wraps ErrNoKeyboard.
func (k *Keyboard) Release(p Person, force bool, now time.Time) (Holding, error) {
	h := k.Holding()
	switch {
	case h.State == Free:
		return h, fmt.Errorf("%w: nobody has it, and tool calls may type", ErrNoKeyboard)
	case h.State == Held && h.By.ID != p.ID && !force:
		return h, h.heldError()
	}
	k.Free(now)
	return h, nil
}

// Free frees the keyboard if a person holds it or has paused the session. Otherwise it does nothing.
func (k *Keyboard) Free(now time.Time) {
	if k.holding.taken() {
		k.set(Holding{State: Free, Since: now})
	}
}

// Connect adds a connection of p. It reports whether the holding has changed: FreeAt was set and is zero again.
func (k *Keyboard) Connect(p Person) (changed bool) {
	if k.connections == nil {
		k.connections = map[string]int{}
	}
	k.connections[p.ID]++
	h := k.holding
	if h.By.ID != p.ID || h.FreeAt.IsZero() {
		return false
	}
	h.FreeAt = time.Time{}
	k.set(h)
	return true
}

// Disconnect removes a connection of p. It reports whether the holding has changed: FreeAt was set.
func (k *Keyboard) Disconnect(p Person, now time.Time) (changed bool) {
	if k.connections[p.ID]--; k.connections[p.ID] > 0 {
		return false
	}
	delete(k.connections, p.ID)
	if h := k.holding; !h.taken() || h.By.ID != p.ID {
		return false
	}
	k.set(k.holding.expiring(now))
	return true
}

// Restore sets the holding to that of an earlier server. Nobody is connected to this server yet, so
// Restore sets FreeAt: if the holder does not connect in time, the keyboard becomes free.
func (k *Keyboard) Restore(h Holding, now time.Time) { k.set(h.expiring(now)) }

// Expire frees the keyboard if FreeAt has passed, and returns the previous holding. Otherwise ok is
// false.
func (k *Keyboard) Expire(now time.Time) (previous Holding, ok bool) {
	h := k.holding
	if h.FreeAt.IsZero() || now.Before(h.FreeAt) {
		return Holding{}, false
	}
	k.Free(now)
	return h, true
}
