package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

const maxIdlePlaces = 64 // the maximum length of idlePlaces.known; the oldest are forgotten

// An idlePlace is a place in the code of a full-screen program where the program waits for keys and has
// nothing else to do. Examples are an editor's main loop, its insert mode and its command line.
type idlePlace struct {
	at    kernel.Fingerprint // how the program waits there, with Timed false
	place uint64             // a digest of the points in the code, see kernel.View.Place
	wakes time.Duration      // length of a timer that runs there without visible effect, or 0
}

// idlePlaces learns the idle places of a session's full-screen programs. A program that waits for
// more than its terminal waits in the same way whether it is idle or not; only the place in its
// code differs. A place is idle if the program waited there both before a key and after answering
// the key, or if it waited there after an answer and wrote nothing until the next input. Neither
// is true of the place where a program sleeps or waits for a job.
type idlePlaces struct {
	known     []idlePlace
	first     []kernel.Fingerprint // how each program waited when it was first idle
	candidate idlePlace            // where the program waited after the last answer: perhaps an idle place; or zero
	since     time.Time            // when candidate was set
}

// placeOf returns the place that v shows, and whether v shows one. The place does not record
// whether the waiting thread itself has a timer, because wakes covers all threads.
func placeOf(v kernel.View) (idlePlace, bool) {
	at := v.Fingerprint
	at.Timed = false
	return idlePlace{at, v.Place, v.WakesAfter}, v.Waiting && v.Place != 0
}

// contains reports whether v shows a known idle place.
func (h *idlePlaces) contains(v kernel.View) bool {
	now, ok := placeOf(v)
	return ok && slices.ContainsFunc(h.known, func(k idlePlace) bool {
		return k.at == now.at && k.place == now.place && (now.wakes == 0 || similarWakes(k.wakes, now.wakes))
	})
}

// knownFor reports whether idle places of a process group are known.
func (h *idlePlaces) knownFor(group int) bool {
	return slices.ContainsFunc(h.known, func(k idlePlace) bool { return k.at.PGID == group })
}

// similarWakes reports whether a and b may be lengths of one timer that was set twice. The lengths
// differ if the program took some milliseconds longer to set the timer.
func similarWakes(a, b time.Duration) bool {
	return max(a, b)-min(a, b) <= max(a, b)/10
}

// afterAnswer records where a full-screen program waits after an answer. v is the present look, and
// before is the look just before the input.
func (h *idlePlaces) afterAnswer(before, v kernel.View, now time.Time) {
	here, ok := placeOf(v)
	if !ok || !h.waitsAsAtFirst(here.at) {
		h.candidate = idlePlace{}
		return
	}
	from, ok := placeOf(before)
	if ok && from == here {
		h.known = remember(h.known, here, maxIdlePlaces)
		return
	}
	h.candidate, h.since = here, now
}

// beforeInput is called just before an input. It adds the candidate to known if the program still waits
// there and has written nothing since candidate was set (last is the time of its last output). If the
// candidate has a timer, it must have gone off, to show that it changes nothing. v is the present look.
func (h *idlePlaces) beforeInput(v kernel.View, last, now time.Time) {
	here, ok := placeOf(v)
	m := h.candidate
	if ok && m.place != 0 && here.at == m.at && here.place == m.place && last.Before(h.since) && now.Sub(h.since) > m.wakes {
		h.known = remember(h.known, m, maxIdlePlaces)
	}
	h.candidate = idlePlace{}
}

// waitsAsAtFirst reports whether a program waits as it did when it was first idle, and records
// the first wait of each program. A program that waits for more descriptors than at first has a
// job or a connection under way.
func (h *idlePlaces) waitsAsAtFirst(f kernel.Fingerprint) bool {
	for _, k := range h.first {
		if k.PGID == f.PGID {
			return k == f
		}
	}
	h.first = remember(h.first, f, maxGroups)
	return true
}
