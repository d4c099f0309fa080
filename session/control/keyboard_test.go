package control

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	ann = Person{ID: "1", Name: "Ann"}
	bob = Person{ID: "2", Name: "Bob"}
)

// noon is the time at which the steps of these tests begin.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// wants checks the state and who may type.
func (b *Keyboard) wants(t *testing.T, state State, agent, a, c bool) {
	t.Helper()
	if got := b.Holding().State; got != state {
		t.Errorf("state %s, want %s", got, state)
	}
	for _, x := range []struct {
		name string
		by   Author
		may  bool
	}{{"a tool call", Author{}, agent}, {"Ann", ann.Author(), a}, {"Bob", bob.Author(), c}} {
		if err := b.Refuses(x.by); (err == nil) != x.may {
			t.Errorf("%s in state %s: %v", x.name, state, err)
		}
	}
}

func TestStates(t *testing.T) {
	var b Keyboard
	for _, p := range []Person{ann, bob} {
		if _, err := b.Come(p); err != nil {
			t.Fatal(err)
		}
	}
	b.wants(t, Free, true, false, false)
	if _, err := b.Take(ann, Held, false, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, Held, false, true, false)
	for _, to := range []State{Held, Paused} {
		if _, err := b.Take(bob, to, false, noon); !errors.Is(err, ErrNoKeyboard) || !strings.Contains(err.Error(), "Ann") {
			t.Errorf("Bob to %s: %v", to, err)
		}
	}
	if _, err := b.Give(bob, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("Bob releases the keyboard that Ann holds: %v", err)
	}
	if _, err := b.Take(bob, Held, true, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, Held, false, false, true)
	if _, err := b.Take(bob, Paused, false, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, Paused, false, false, false)
	if _, err := b.Give(ann, false, noon); err != nil {
		t.Errorf("Ann lifts Bob's pause: %v", err)
	}
	b.wants(t, Free, true, false, false)
	if _, err := b.Give(ann, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("released twice: %v", err)
	}
}

func TestKeyboardLapses(t *testing.T) {
	for _, tt := range []struct {
		state State
		grace time.Duration
	}{{Held, HoldGrace}, {Paused, PauseGrace}} {
		var b Keyboard
		for range 2 { // two connections of one person
			if _, err := b.Come(ann); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Take(ann, tt.state, false, noon); err != nil {
			t.Fatal(err)
		}
		b.Go(ann, noon)
		if _, ok := b.Lapse(noon.Add(time.Hour)); ok {
			t.Errorf("%s: lapsed with a connection left", tt.state)
		}
		b.Go(ann, noon)
		if _, err := b.Come(ann); err != nil { // back in time
			t.Fatal(err)
		}
		if _, ok := b.Lapse(noon.Add(time.Hour)); ok {
			t.Errorf("%s: lapsed although Ann is back", tt.state)
		}
		b.Go(ann, noon)
		if _, ok := b.Lapse(noon.Add(tt.grace - 1)); ok {
			t.Errorf("%s: lapsed before its time", tt.state)
		}
		if was, ok := b.Lapse(noon.Add(tt.grace)); !ok || was.By != ann {
			t.Errorf("%s: not lapsed in time", tt.state)
		}
		b.wants(t, Free, true, false, false)
	}
}

func TestKeyboardPeopleLimit(t *testing.T) {
	var b Keyboard
	for i := range maxPersons {
		if _, err := b.Come(Person{ID: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Come(Person{ID: "one more"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one person more: error %v, want ErrTooMany", err)
	}
	if _, err := b.Come(Person{ID: "0"}); err != nil {
		t.Errorf("another connection of a connected person: %v", err)
	}
}

// TestKeyboardLeftByOneself checks that a person who has left the keyboard can take it again over
// another connection, and that nobody else can.
func TestKeyboardLeftByOneself(t *testing.T) {
	var b Keyboard
	again := Person{ID: "3", Name: ann.Name}
	if _, err := b.Come(ann); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(ann, Held, false, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Take(again, Held, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("while the first is there: %v", err)
	}
	b.Go(ann, noon)
	for _, p := range []Person{bob, {ID: "4"}} {
		if _, err := b.Take(p, Held, false, noon); !errors.Is(err, ErrNoKeyboard) {
			t.Errorf("%v: %v", p, err)
		}
	}
	if _, err := b.Take(again, Held, false, noon); err != nil || b.Refuses(again.Author()) != nil {
		t.Errorf("the same person: %v", err)
	}
}
