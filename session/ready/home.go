package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// maxHomes is the maximum number of remembered homes.
const maxHomes = 64

// A home is a place in the code of a full-screen program where it waits for keys and has
// nothing else to do: an editor's main loop, its insert mode, its command line.
type home struct {
	at    kernel.Fingerprint
	place uint64
	wakes time.Duration // length of a timer that runs there without visible effect, or 0
}

// homes are the homes of a session's full-screen programs. A program that waits for more
// than its terminal does so in all states; the place in its code is what differs. A place
// is a home if a key found the program there and the program returned there by itself: a
// sleep or a job does not.
type homes struct {
	known     []home
	first     []kernel.Fingerprint // how each program waited when it was first idle
	candidate home                 // where the program waited after the last answer, which may be a home
	since     time.Time            // when candidate was set
}

// homeOf returns the place that v shows, and whether it shows one. It does not matter which
// thread's timer is set: wakes covers all threads.
func homeOf(v kernel.View) (home, bool) {
	at := v.Fingerprint
	at.Timed = false
	return home{at, v.Place, v.Wakes}, v.Waiting && v.Place != 0
}

// contains reports whether v shows a known home.
func (h *homes) contains(v kernel.View) bool {
	now, ok := homeOf(v)
	return ok && slices.ContainsFunc(h.known, func(k home) bool {
		return k.at == now.at && k.place == now.place && (now.wakes == 0 || similarWakes(k.wakes, now.wakes))
	})
}

// knownFor reports whether homes of a process group are known.
func (h *homes) knownFor(group int) bool {
	return slices.ContainsFunc(h.known, func(k home) bool { return k.at.PGID == group })
}

// similarWakes reports whether two lengths may be those of one timer that was set again. They
// may differ because some milliseconds passed before the program set it.
func similarWakes(a, b time.Duration) bool {
	return max(a, b)-min(a, b) <= max(a, b)/10
}

// afterAnswer notes where a full-screen program waits after an answer; before is the look just
// before the input.
func (h *homes) afterAnswer(before, v kernel.View, now time.Time) {
	here, ok := homeOf(v)
	if !ok || !h.waitsAsAtFirst(here.at) {
		h.candidate = home{}
		return
	}
	from, ok := homeOf(before)
	if ok && from == here {
		h.known = remember(h.known, here, maxHomes)
		return
	}
	h.candidate, h.since = here, now
}

// beforeInput notes where input finds a full-screen program, whose last output came at last: if
// its timer has run out and nothing was written, the timer has no visible effect.
func (h *homes) beforeInput(v kernel.View, last, now time.Time) {
	here, ok := homeOf(v)
	m := h.candidate
	if ok && m.place != 0 && here.at == m.at && here.place == m.place && last.Before(h.since) && now.Sub(h.since) > m.wakes {
		h.known = remember(h.known, m, maxHomes)
	}
	h.candidate = home{}
}

// waitsAsAtFirst reports whether a program waits as it did when it was first idle. It records
// the first wait of each program. A program that waits for more descriptors has a job or a
// connection under way.
func (h *homes) waitsAsAtFirst(f kernel.Fingerprint) bool {
	for _, k := range h.first {
		if k.PGID == f.PGID {
			return k == f
		}
	}
	h.first = remember(h.first, f, maxGroups)
	return true
}
