package ready

import (
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// maxHomes bounds the places remembered.
const maxHomes = 64

// A home is a place in a full-screen program where it waits for keys and has
// nothing else to do: an editor's main loop, its insert mode, its command line.
type home struct {
	at    kernel.Fingerprint
	place uint64
	wakes time.Duration // of a timer that runs there for no one to see
}

// homes are the places of a session's full-screen programs. A program that waits
// for more than its terminal waits so whatever it does; where in the program it
// waits tells. A place is home when a key found the program there, and it came
// back there of its own: neither a sleep nor a job does that.
type homes struct {
	known []home
	first []kernel.Fingerprint // how each program waited when it first came to rest
	maybe home                 // where the last answer left the program, when a timer runs
	since time.Time            // of maybe
}

// homeOf returns the place that v shows, and whether it shows one. Which thread's
// timer is set does not matter, as wakes tells of all.
func homeOf(v kernel.View) (home, bool) {
	at := v.Fingerprint
	at.Timed = false
	return home{at, v.Place, v.Wakes}, v.Waiting && v.Place != 0
}

// has reports whether v shows a home.
func (h *homes) has(v kernel.View) bool {
	now, ok := homeOf(v)
	if !ok {
		return false
	}
	for _, k := range h.known {
		if k.at == now.at && k.place == now.place && (now.wakes == 0 || alikeWakes(k.wakes, now.wakes)) {
			return true
		}
	}
	return false
}

// of reports whether homes of the group in front are known.
func (h *homes) of(group int) bool {
	for _, k := range h.known {
		if k.at.PGID == group {
			return true
		}
	}
	return false
}

// alikeWakes reports whether two timers are the same that was set again: some
// milliseconds may have gone before the call.
func alikeWakes(a, b time.Duration) bool {
	return max(a, b)-min(a, b) <= max(a, b)/10
}

// rested notes where an answer has left a full-screen program; before is the look
// as the input went out.
func (h *homes) rested(before, v kernel.View, now time.Time) {
	here, ok := homeOf(v)
	if !ok || !h.ofFirst(here.at) {
		h.maybe = home{}
		return
	}
	from, ok := homeOf(before)
	if ok && from == here {
		h.add(here)
		return
	}
	h.maybe, h.since = here, now
}

// typed notes where input finds a full-screen program, whose last output came at
// last: when its timer has run out and nothing was written, it runs for no one.
func (h *homes) typed(v kernel.View, last, now time.Time) {
	here, ok := homeOf(v)
	m := h.maybe
	if ok && m.place != 0 && here.at == m.at && here.place == m.place && last.Before(h.since) && now.Sub(h.since) > m.wakes {
		h.add(m)
	}
	h.maybe = home{}
}

// ofFirst reports whether a program waits as it did when it first came to rest:
// with further descriptors, a job or a connection is under way.
func (h *homes) ofFirst(f kernel.Fingerprint) bool {
	for _, k := range h.first {
		if k.PGID == f.PGID {
			return k == f
		}
	}
	if len(h.first) == maxFronts {
		h.first = h.first[1:]
	}
	h.first = append(h.first, f)
	return true
}

// add remembers a home; the oldest goes when there are too many.
func (h *homes) add(n home) {
	for _, k := range h.known {
		if k == n {
			return
		}
	}
	if len(h.known) == maxHomes {
		h.known = h.known[1:]
	}
	h.known = append(h.known, n)
}
