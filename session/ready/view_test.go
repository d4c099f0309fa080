package ready

import (
	"slices"
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// TestFailsBriefly checks that one failed look does not leave the decision to weaker layers, and
// that looks that keep failing do.
func TestFailsBriefly(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		v    view
		want bool
	}{
		{"a look that succeeded", view{fresh: true, now: kernel.View{Known: true}, lookedAt: at}, false},
		{"the first that failed", view{fresh: true, lookedAt: at, failingSince: at}, true},
		{"failing for a moment", view{fresh: true, lookedAt: at.Add(failLimit - 1), failingSince: at}, true},
		{"failing for good", view{fresh: true, lookedAt: at.Add(failLimit), failingSince: at}, false},
		{"the program has ended", view{fresh: true, now: kernel.View{Ended: true}, lookedAt: at.Add(failLimitKnown - 1), failingSince: at}, true},
		{"it ended long ago", view{fresh: true, now: kernel.View{Ended: true}, lookedAt: at.Add(failLimitKnown), failingSince: at}, false},
		{"overtaken by output", view{lookedAt: at, failingSince: at}, false},
		{"failing once it has told", view{fresh: true, everKnown: true, lookedAt: at.Add(failLimitKnown - 1), failingSince: at}, true},
		{"failing for long once it has told", view{fresh: true, everKnown: true, lookedAt: at.Add(failLimitKnown), failingSince: at}, false},
		{"hidden once it has told", view{fresh: true, everKnown: true, now: kernel.View{Hidden: true}, lookedAt: at.Add(failLimit), failingSince: at}, false},
	} {
		if got := c.v.failsBriefly(); got != c.want {
			t.Errorf("%s: failsBriefly %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAskedAnew checks that text is not a secret only because an earlier one was. In line mode the
// text wakes no program, so no look is taken before it.
func TestAskedAnew(t *testing.T) {
	w := view{passwordInside: true, written: true}
	w.input([]byte("text"), kernel.TTY{Modes: kernel.Modes{Known: true, Canonical: true, Echo: true}})
	if w.passwordInside {
		t.Error("the text is a secret because of an earlier look")
	}
}

// TestRemember checks that only the latest maxGroups process groups are remembered.
func TestRemember(t *testing.T) {
	var groups []int
	for g := range 3 * maxGroups {
		groups = remember(remember(groups, g, maxGroups), g, maxGroups)
	}
	if len(groups) != maxGroups || groups[maxGroups-1] != 3*maxGroups-1 || slices.Contains(groups, 2*maxGroups-1) {
		t.Errorf("remembered %v", groups)
	}
}

// TestRelayRan checks when a program that shows another terminal counts as having read its input.
func TestRelayRan(t *testing.T) {
	asleep := func(nested int, slices uint64) kernel.View {
		return kernel.View{Asleep: true, Nested: nested, Activity: kernel.Activity{Threads: 2, Slices: slices}}
	}
	working := kernel.View{Nested: 1, Activity: kernel.Activity{Threads: 2, Slices: 5}}
	for _, c := range []struct {
		name string
		v    view
		want bool
	}{
		{"asleep ever since", view{fresh: true, delivered: true, before: asleep(1, 5), now: asleep(1, 5)}, false},
		{"has run", view{fresh: true, before: asleep(1, 5), now: asleep(1, 6)}, true},
		{"no terminal inside", view{fresh: true, delivered: true, before: asleep(0, 5), now: asleep(0, 6)}, false},
		{"worked, and sleeps", view{fresh: true, delivered: true, now: asleep(1, 5)}, true},
		{"works still", view{fresh: true, delivered: true, now: working}, false},
		{"sleeps before the input has come", view{fresh: true, now: asleep(1, 5)}, false},
		{"looked at before", view{delivered: true, now: asleep(1, 5)}, false},
	} {
		if got := c.v.relayRan(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
