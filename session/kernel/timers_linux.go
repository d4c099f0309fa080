package kernel

import (
	"slices"
	"time"
)

// MaxTimers bounds the timers of a View.
const MaxTimers = 16

// timers returns the timers of the gathered threads. Thread w waits for the terminal; w
// is -1 when none does.
func (l *Looker) timers(w int) []Timer {
	var all []Timer
	now := time.Now()
	for i, t := range l.threads {
		if t.by.IsZero() {
			t.by = now
		}
		if timer, ok := t.timer(); ok {
			timer.Own, timer.Relay = i == w, i < l.inner
			all = append(all, timer)
		}
	}
	slices.SortFunc(all, func(a, b Timer) int { return a.To.Compare(b.To) })
	return all[:min(len(all), MaxTimers)]
}

// timer returns the timer that ends the wait of t.
func (t *thread) timer() (Timer, bool) {
	w := &t.wait
	switch {
	case !w.timed:
		return Timer{}, false
	case w.timeout > 0 && (w.ends.IsZero() || t.by.Add(w.timeout).Before(w.ends)):
		timer := Timer{Length: w.timeout, To: t.by.Add(w.timeout)}
		if !t.after.IsZero() {
			timer.From = t.after.Add(w.timeout)
		}
		return timer, true
	case !w.ends.IsZero():
		return Timer{Length: w.ends.Sub(t.by), From: w.ends, To: w.ends}, true
	}
	return Timer{}, true
}
