package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

const (
	// farTimer is how long a timer must be to concern no wait. Go's runtime looks after
	// itself every minute.
	farTimer = 59 * time.Second
	// soonTimer bounds the timers that are waited for where programs set longer ones
	// for other ends, as Neovim's updatetime at each key.
	soonTimer = time.Second
	// briefTimer is the longest that is waited for even where it is known to have no
	// effect: a longer one may come behind it.
	briefTimer = 100 * time.Millisecond
	// hiding is how far off the next timer of an event loop must be for those behind it
	// not to matter: programs do not pause so long within an answer.
	hiding = 5 * time.Second
	// reducerTimer is how long V8 waits before it looks whether a program can give memory
	// back (MemoryReducer::kLongDelayMs and kSlackMs), once it has used much and then
	// again and again; reducerSlack is how much later or earlier that may seem.
	reducerTimer = 8100 * time.Millisecond
	reducerSlack = 100 * time.Millisecond
	// overdue is how long after its time a timer may still go off: the kernel puts off
	// those of ordinary programs to handle several at once.
	overdue = 150 * time.Millisecond
	// maxTimers bounds the timers remembered of each sort.
	maxTimers = 64
)

// timers tell which timers of the programs in front may bring an answer: those that
// were set since the input, and have not gone off before without any effect.
type timers struct {
	due  time.Time // when the first of them goes off, zero when none is set
	next time.Time // when the first of the others does that may hide one of them

	known   []kernel.Timer // those seen of late; a sooner one may hide some
	pending []pendingTimer
	fired   []firedTimer // since the input
	idle    []idleTimer
}

// A pendingTimer is waited for.
type pendingTimer struct {
	kernel.Timer
	screen string // when it was first seen
}

// A firedTimer has gone off.
type firedTimer struct {
	idleTimer
	own    bool
	screen string // then
}

// An idleTimer changes no text when it goes off: a cursor blinks, or a program looks
// whether an escape was the beginning of a longer key.
type idleTimer struct {
	group  int
	length time.Duration
}

// A timing is what a look has shown of timers, and what it is held against.
type timing struct {
	now        time.Time
	view       kernel.View
	before     []kernel.Timer // as the input went out
	typed      bool           // somebody has typed to the program in front
	held       bool           // the input has not come through to the terminal inside
	fullScreen bool
	screen     func() string
}

// input drops what belongs to the input before. A timer that has gone off without an
// effect until now runs for other ends.
func (t *timers) input(screen func() string) {
	for _, f := range t.fired {
		if f.own && !t.isIdle(f.idleTimer) && f.screen == screen() {
			t.idle = append(t.idle, f.idleTimer)
		}
	}
	*t = timers{known: t.known, idle: t.idle[max(0, len(t.idle)-maxTimers):]}
}

// knownBy returns the timers that are set at the moment of a look. A program that runs
// shows none, and an event loop the first of several: they still have those seen before.
func (t *timers) knownBy(v kernel.View, now time.Time) []kernel.Timer {
	known := slices.DeleteFunc(slices.Clone(t.known), func(k kernel.Timer) bool {
		return k.To.Before(now) && (k.Length < soonTimer || now.Sub(k.To) > reducerTimer)
	})
	for _, timer := range v.Timers {
		if !timer.To.After(now) {
			continue
		}
		if i := slices.IndexFunc(known, timer.Same); i >= 0 {
			known[i] = known[i].Narrowed(timer)
		} else {
			known = append(known, timer)
		}
	}
	t.known = known[max(0, len(known)-maxTimers):]
	return t.known
}

// look takes what a look has shown.
func (t *timers) look(l timing) {
	if !l.view.Asleep {
		return // it may be about to set some
	}
	t.knownBy(l.view, l.now)
	t.goneOff(l)
	t.due, t.next = time.Time{}, time.Time{}
	for _, timer := range l.view.Timers {
		if timer.Own && l.view.Sole || timer.Relay && !l.held {
			continue // a program may well read its keys in steps, and draw a clock around another
		}
		switch t.judge(l, timer) {
		case awaitedTimer:
			t.await(l, timer)
		case hidingTimer:
			t.next = firstOf(t.next, timer.To)
		}
	}
}

// A timerMeaning says how a timer bears on the answer.
type timerMeaning int

const (
	ignoredTimer timerMeaning = iota
	awaitedTimer              // it may bring the answer
	hidingTimer               // it does not, and may hide one that does
)

// judge says what a timer means. An event loop waits for its first timer alone, which
// hides all others. A thread that only looks for work from time to time finds it when
// its timer goes off, whenever that was set.
func (t *timers) judge(l timing, timer kernel.Timer) timerMeaning {
	left := timer.To.Sub(l.now)
	old := slices.ContainsFunc(l.before, timer.Same) || t.isReducer(timer)
	inert := timer.Own && old || l.fullScreen && old || left > briefTimer && timer.Own && t.isIdle(l.idle(timer))
	late := left > soonTimer && (l.view.Listens && !timer.Own || !l.closed() || l.fullScreen || !l.typed)
	switch {
	case left < -overdue, t.hasFired(l.idle(timer)):
		return hidingTimer // one without an end, too
	case timer.Length >= farTimer:
		return ignoredTimer
	case !late && (!inert || left <= briefTimer):
		return awaitedTimer
	case timer.Own && left < hiding, !old && l.typed:
		return hidingTimer
	}
	return ignoredTimer
}

// isReducer reports whether a timer is V8's own: it is as long, or as much later than
// one that was set before.
func (t *timers) isReducer(timer kernel.Timer) bool {
	off := reducerTimer - timer.Length
	return off >= 0 && off < reducerSlack || slices.ContainsFunc(t.known, func(k kernel.Timer) bool {
		return (timer.To.Sub(k.To) - reducerTimer).Abs() < reducerSlack
	})
}

// await notes a timer that may bring the answer.
func (t *timers) await(l timing, timer kernel.Timer) {
	t.due = firstOf(t.due, timer.To)
	same := func(p pendingTimer) bool { return p.Same(timer) }
	if !slices.ContainsFunc(t.pending, same) && len(t.pending) < maxTimers {
		t.pending = append(t.pending, pendingTimer{timer, l.screen()})
	}
}

// goneOff takes the awaited timers that are set no more: they have gone off, unless
// their time has not come.
func (t *timers) goneOff(l timing) {
	kept := t.pending[:0]
	for _, p := range t.pending {
		switch {
		case slices.ContainsFunc(l.view.Timers, p.Same):
			kept = append(kept, p)
		case l.now.Before(p.From):
		case len(t.fired) == maxTimers:
		default:
			if !l.fullScreen && p.screen != l.screen() {
				t.fired = nil // it goes on; a full-screen program redraws from time to time
				continue
			}
			t.fired = append(t.fired, firedTimer{l.idle(p.Timer), p.Own, p.screen})
		}
	}
	t.pending = kept
}

// firstOf returns the earlier of two times, of which a may not be set.
func firstOf(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// closed reports whether nothing from outside wakes what waits for the terminal.
func (l *timing) closed() bool { return !l.view.Waiting || l.view.Sole || l.view.Loop }

// idle returns a timer as it is remembered should it be one that has no effect.
func (l *timing) idle(timer kernel.Timer) idleTimer {
	return idleTimer{l.view.Foreground.PGID, timer.Length}
}

// hasFired reports whether one as long has gone off since the input.
func (t *timers) hasFired(one idleTimer) bool {
	return slices.ContainsFunc(t.fired, func(f firedTimer) bool { return f.idleTimer.like(one) })
}

// isIdle reports whether one as long has gone off before, to no effect.
func (t *timers) isIdle(one idleTimer) bool { return slices.ContainsFunc(t.idle, one.like) }

// like reports whether two timers may be the same that is set again.
func (i idleTimer) like(o idleTimer) bool {
	return i.group == o.group && (alikeWakes(i.length, o.length) || max(i.length, o.length) < kernel.MinPause)
}
