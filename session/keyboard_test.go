package session

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

// noon is when the steps of these tests begin.
var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// wants checks who may type.
func (b *keyboard) wants(t *testing.T, state KeyboardState, agent, a, c bool) {
	t.Helper()
	if got := b.state().State; got != state {
		t.Errorf("state %s, want %s", got, state)
	}
	for _, x := range []struct {
		name string
		by   *Person
		may  bool
	}{{"a tool call", nil, agent}, {"Ann", &ann, a}, {"Bob", &bob, c}} {
		if err := b.refuses(x.by); (err == nil) != x.may {
			t.Errorf("%s in state %s: %v", x.name, state, err)
		}
	}
}

func TestKeyboardStates(t *testing.T) {
	var b keyboard
	for _, p := range []Person{ann, bob} {
		if err := b.comes(p); err != nil {
			t.Fatal(err)
		}
	}
	b.wants(t, KeyboardFree, true, false, false)
	if err := b.takes(ann, KeyboardHeld, false, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, KeyboardHeld, false, true, false)
	for _, to := range []KeyboardState{KeyboardHeld, KeyboardPaused} {
		if err := b.takes(bob, to, false, noon); !errors.Is(err, ErrNotHeld) || !strings.Contains(err.Error(), "Ann") {
			t.Errorf("Bob to %s: %v", to, err)
		}
	}
	if _, err := b.gives(bob, false, noon); !errors.Is(err, ErrNotHeld) {
		t.Errorf("Bob gives back what Ann has: %v", err)
	}
	if err := b.takes(bob, KeyboardHeld, true, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, KeyboardHeld, false, false, true)
	if err := b.takes(bob, KeyboardPaused, false, noon); err != nil {
		t.Fatal(err)
	}
	b.wants(t, KeyboardPaused, false, false, false)
	if _, err := b.gives(ann, false, noon); err != nil {
		t.Errorf("a pause that anybody may lift: %v", err)
	}
	b.wants(t, KeyboardFree, true, false, false)
	if _, err := b.gives(ann, false, noon); !errors.Is(err, ErrNotHeld) {
		t.Errorf("given back twice: %v", err)
	}
}

func TestKeyboardLapses(t *testing.T) {
	for _, tt := range []struct {
		state KeyboardState
		grace time.Duration
	}{{KeyboardHeld, HoldGrace}, {KeyboardPaused, PauseGrace}} {
		var b keyboard
		for range 2 { // two connections of one person
			if err := b.comes(ann); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.takes(ann, tt.state, false, noon); err != nil {
			t.Fatal(err)
		}
		b.goes(ann, noon)
		if _, ok := b.lapses(noon.Add(time.Hour)); ok {
			t.Errorf("%s: gone with a connection left", tt.state)
		}
		b.goes(ann, noon)
		if err := b.comes(ann); err != nil { // back in time
			t.Fatal(err)
		}
		if _, ok := b.lapses(noon.Add(time.Hour)); ok {
			t.Errorf("%s: gone although back", tt.state)
		}
		b.goes(ann, noon)
		if _, ok := b.lapses(noon.Add(tt.grace - 1)); ok {
			t.Errorf("%s: gone before its time", tt.state)
		}
		if was, ok := b.lapses(noon.Add(tt.grace)); !ok || was.By != ann {
			t.Errorf("%s: kept for ever", tt.state)
		}
		b.wants(t, KeyboardFree, true, false, false)
	}
}

func TestKeyboardPeopleLimit(t *testing.T) {
	var b keyboard
	for i := range maxPersons {
		if err := b.comes(Person{ID: strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.comes(Person{ID: "one more"}); !errors.Is(err, ErrTooMany) {
		t.Errorf("one more: %v", err)
	}
	if err := b.comes(Person{ID: "0"}); err != nil {
		t.Errorf("another connection of one who is there: %v", err)
	}
}

// TestKeyboardLeftByOneself lets who has left the keyboard take it again over
// another connection, and nobody else.
func TestKeyboardLeftByOneself(t *testing.T) {
	var b keyboard
	again := Person{ID: "3", Name: ann.Name}
	if err := b.comes(ann); err != nil {
		t.Fatal(err)
	}
	if err := b.takes(ann, KeyboardHeld, false, noon); err != nil {
		t.Fatal(err)
	}
	if err := b.takes(again, KeyboardHeld, false, noon); !errors.Is(err, ErrNotHeld) {
		t.Errorf("while the first is there: %v", err)
	}
	b.goes(ann, noon)
	for _, p := range []Person{bob, {ID: "4"}} {
		if err := b.takes(p, KeyboardHeld, false, noon); !errors.Is(err, ErrNotHeld) {
			t.Errorf("%v: %v", p, err)
		}
	}
	if err := b.takes(again, KeyboardHeld, false, noon); err != nil || b.refuses(&again) != nil {
		t.Errorf("the same person: %v", err)
	}
}
