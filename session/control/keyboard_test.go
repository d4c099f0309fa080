package control

import (
	"errors"
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
func (k *Keyboard) wants(t *testing.T, state State, agent, a, c bool) {
	t.Helper()
	if got := k.Holding().State; got != state {
		t.Errorf("state %s, want %s", got, state)
	}
	for _, x := range []struct {
		name string
		by   Author
		may  bool
	}{{"a tool call", Author{}, agent}, {"Ann", ann.Author(), a}, {"Bob", bob.Author(), c}} {
		if err := k.CheckTyping(x.by); (err == nil) != x.may {
			t.Errorf("%s in state %s: %v", x.name, state, err)
		}
	}
}

func TestStates(t *testing.T) {
	var k Keyboard
	for _, p := range []Person{ann, bob} {
		k.Connect(p)
	}
	k.wants(t, Free, true, false, false)
	if _, err := k.Take(ann, Held, false, noon); err != nil {
		t.Fatal(err)
	}
	k.wants(t, Held, false, true, false)
	for _, to := range []State{Held, Paused} {
		if _, err := k.Take(bob, to, false, noon); !errors.Is(err, ErrNoKeyboard) || !strings.Contains(err.Error(), "Ann") {
			t.Errorf("Bob to %s: %v", to, err)
		}
	}
	if _, err := k.Release(bob, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("Bob releases the keyboard that Ann holds: %v", err)
	}
	if _, err := k.Take(bob, Held, true, noon); err != nil {
		t.Fatal(err)
	}
	k.wants(t, Held, false, false, true)
	if _, err := k.Take(bob, Paused, false, noon); err != nil {
		t.Fatal(err)
	}
	k.wants(t, Paused, false, false, false)
	if _, err := k.Release(ann, false, noon); err != nil {
		t.Errorf("Ann lifts Bob's pause: %v", err)
	}
	k.wants(t, Free, true, false, false)
	if _, err := k.Release(ann, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("released twice: %v", err)
	}
}

func TestKeyboardLapses(t *testing.T) {
	for _, tt := range []struct {
		state State
		grace time.Duration
	}{{Held, HoldGrace}, {Paused, PauseGrace}} {
		var k Keyboard
		for range 2 { // two connections of one person
			k.Connect(ann)
		}
		if _, err := k.Take(ann, tt.state, false, noon); err != nil {
			t.Fatal(err)
		}
		k.Disconnect(ann, noon)
		if _, ok := k.Expire(noon.Add(time.Hour)); ok {
			t.Errorf("%s: lapsed with a connection left", tt.state)
		}
		k.Disconnect(ann, noon)
		k.Connect(ann) // back in time
		if _, ok := k.Expire(noon.Add(time.Hour)); ok {
			t.Errorf("%s: lapsed although Ann is back", tt.state)
		}
		k.Disconnect(ann, noon)
		if _, ok := k.Expire(noon.Add(tt.grace - 1)); ok {
			t.Errorf("%s: lapsed before its time", tt.state)
		}
		if was, ok := k.Expire(noon.Add(tt.grace)); !ok || was.By != ann {
			t.Errorf("%s: not lapsed in time", tt.state)
		}
		k.wants(t, Free, true, false, false)
	}
}

// TestKeyboardLeftByOneself checks that a person who has left the keyboard can take it again over
// another connection, and that nobody else can.
func TestKeyboardLeftByOneself(t *testing.T) {
	var k Keyboard
	again := Person{ID: "3", Name: ann.Name}
	k.Connect(ann)
	if _, err := k.Take(ann, Held, false, noon); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Take(again, Held, false, noon); !errors.Is(err, ErrNoKeyboard) {
		t.Errorf("while the first is there: %v", err)
	}
	k.Disconnect(ann, noon)
	for _, p := range []Person{bob, {ID: "4"}} {
		if _, err := k.Take(p, Held, false, noon); !errors.Is(err, ErrNoKeyboard) {
			t.Errorf("%v: %v", p, err)
		}
	}
	if _, err := k.Take(again, Held, false, noon); err != nil || k.CheckTyping(again.Author()) != nil {
		t.Errorf("the same person: %v", err)
	}
}
