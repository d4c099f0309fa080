package kernel

import (
	"sort"
	"time"
)

// MaxTimers limits the timers in a View.
const MaxTimers = 16

// timers returns the timers of the gathered threads, which are asleep. It records in the threads
// that their waits have begun by now. w is the index of the thread that waits for the terminal, or
// -1 if none does.
func (l *Looker) timers(w int) []Timer {
	var all []Timer
	now := time.Now()
	for i, t := range l.threads {
		if t.beganBefore.IsZero() {
			t.beganBefore = now
		}
		if timer, ok := t.timer(); ok {
			timer.Own, timer.Relay = i == w, i < l.inner
			all = append(all, timer)
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].To.Before(all[j].To) })
	return all[:min(len(all), MaxTimers)]
}

// timer returns the timer that ends the wait of t first. Without a time limit, it returns false.
func (t *thread) timer() (Timer, bool) {
	w := &t.wait
	switch {
	case !w.timed:
		return Timer{}, false
	case w.timeout > 0 && (w.ends.IsZero() || t.beganBefore.Add(w.timeout).Before(w.ends)):
		timer := Timer{Length: w.timeout, To: t.beganBefore.Add(w.timeout)}
		if !t.beganAfter.IsZero() {
			timer.From = t.beganAfter.Add(w.timeout)
		}
		return timer, true
	case !w.ends.IsZero():
		return Timer{Length: w.ends.Sub(t.beganBefore), From: w.ends, To: w.ends}, true
	}
	return Timer{}, true
}
