package ready

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// viewAt returns a view of an editor that waits in a place, with a timer.
func viewAt(place uint64, wakes time.Duration) kernel.View {
	return kernel.View{Known: true, Waiting: true, Place: place, WakesAfter: wakes, Fingerprint: kernel.Fingerprint{PGID: 7}}
}

// TestIdlePlaces checks which places are taken for idle places, where an editor rests.
func TestIdlePlaces(t *testing.T) {
	const loop, sleep, insert, nap = 1, 2, 3, 400 * time.Millisecond
	start := time.Unix(0, 0)
	var h idlePlaces
	h.afterAnswer(kernel.View{}, viewAt(loop, 4*time.Second), start) // started
	if h.contains(viewAt(loop, 4*time.Second)) {
		t.Error("the first place counts as idle at once")
	}
	h.beforeInput(viewAt(loop, 4*time.Second), start.Add(-1), start.Add(time.Second))
	h.afterAnswer(viewAt(loop, 4*time.Second), viewAt(loop, 4*time.Second), start)
	h.afterAnswer(viewAt(loop, 4*time.Second), viewAt(sleep, nap), start)
	h.afterAnswer(viewAt(sleep, nap), viewAt(sleep, nap-100*time.Millisecond), start) // typed ahead
	busy := viewAt(sleep, 0)
	busy.Fingerprint.Set++ // a job's pipe
	h.afterAnswer(busy, busy, start)
	for _, tt := range []struct {
		name string
		v    kernel.View
		want bool
	}{
		{"main loop", viewAt(loop, 4*time.Second), true},
		{"main loop, without its timer", viewAt(loop, 0), true},
		{"main loop, the timer some milliseconds later", viewAt(loop, 3950*time.Millisecond), true},
		{"main loop, another timer", viewAt(loop, nap), false},
		{"sleep", viewAt(sleep, nap), false},
		{"sleep, what is left of it", viewAt(sleep, nap-100*time.Millisecond), false},
		{"a job", busy, false},
		{"nowhere", viewAt(0, 0), false},
		{"not waiting", kernel.View{Place: loop, Fingerprint: kernel.Fingerprint{PGID: 7}}, false},
		{"another program", kernel.View{Waiting: true, Place: loop}, false},
	} {
		if got := h.contains(tt.v); got != tt.want {
			t.Errorf("%s: idle %v, want %v", tt.name, got, tt.want)
		}
	}

	h.afterAnswer(viewAt(loop, 4*time.Second), viewAt(insert, 4*time.Second), start)
	h.beforeInput(viewAt(insert, 0), start.Add(-1), start.Add(5*time.Second))
	if !h.contains(viewAt(insert, 4*time.Second)) {
		t.Error("a place whose timer ran out without effect is not idle")
	}
	h.afterAnswer(viewAt(loop, 4*time.Second), viewAt(sleep, nap), start)
	h.beforeInput(viewAt(sleep, nap), start.Add(nap), start.Add(time.Second))
	if h.contains(viewAt(sleep, nap)) {
		t.Error("a place that was left with output is idle")
	}
	for i := range uint64(2 * maxIdlePlaces) {
		h.known = remember(h.known, idlePlace{place: 100 + i}, maxIdlePlaces)
	}
	if len(h.known) != maxIdlePlaces {
		t.Errorf("%d idle places, want %d", len(h.known), maxIdlePlaces)
	}
	for i := range 2 * maxGroups {
		h.waitsAsAtFirst(kernel.Fingerprint{PGID: 100 + i})
	}
	if len(h.first) != maxGroups {
		t.Errorf("%d programs, want %d", len(h.first), maxGroups)
	}
}
