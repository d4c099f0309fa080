package ready

import (
	"slices"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

const (
	// farTimer is the shortest length of the timers that are ignored. Go's runtime does its
	// housekeeping once a minute.
	farTimer = 59 * time.Second
	// soonTimer is the longest timer to wait for if the program may set longer ones for other
	// purposes, such as Neovim's updatetime at each key.
	soonTimer = time.Second
	// briefTimer is the longest timer to wait for even if it is known to have no effect: a
	// longer one may follow it.
	briefTimer = 100 * time.Millisecond
	// A look at an event loop shows only its next timer, which may hide one that brings the answer. A
	// call waits for the next timer if it is due within hidingLimit: few answers pause longer than that.
	hidingLimit = 5 * time.Second
	// reducerTimer is the interval at which V8 checks whether a program that has used much memory
	// can release some (MemoryReducer::kLongDelayMs and kSlackMs). The interval that two looks show
	// may differ from reducerTimer by reducerSlack.
	reducerTimer = 8100 * time.Millisecond
	reducerSlack = 100 * time.Millisecond
	// maxTimerDelay is how late a timer may go off: the kernel delays timers to handle several at
	// once.
	maxTimerDelay = 150 * time.Millisecond
	// maxTimers is the maximum length of each list in a timers value.
	maxTimers = 64
)

// A program may answer when one of its timers goes off. timers tracks those that may bring an answer:
// they were set since the input, and similar timers have not gone off without an effect.
type timers struct {
	due  time.Time // when the first timer that may bring an answer goes off, or zero
	next time.Time // when the first other timer that may hide such a timer goes off, or zero

	known   []kernel.Timer // timers that recent looks have shown; a timer that is due earlier may hide some of them
	pending []seenTimer    // timers to wait for, which may bring the answer
	fired   []seenTimer    // timers that have gone off since the input
	// idle lists timers that change no text when they go off: a cursor blinks, or a program
	// checks whether an escape was the beginning of a longer key.
	idle []seenTimer
}

// A seenTimer is a timer that a look at a program has shown.
type seenTimer struct {
	kernel.Timer
	group  int    // the process group of the program
	screen string // the text of the screen when the timer was first seen
}

// likeAny reports whether one of the timers may be s, set again. Timers below kernel.MinPause are all alike.
func (s seenTimer) likeAny(timers []seenTimer) bool {
	return slices.ContainsFunc(timers, func(t seenTimer) bool {
		return t.group == s.group && (similarWakes(t.Length, s.Length) || max(t.Length, s.Length) < kernel.MinPause)
	})
}

// A timerEvidence contains a look and the facts by which to judge the timers in it.
type timerEvidence struct {
	now         time.Time
	view        kernel.View
	before      []kernel.Timer // the timers set just before the input
	typed       bool           // the foreground program has been typed to
	undelivered bool           // the input has not reached the nested terminal
	starting    bool           // the program was awake at the input and was never seen waiting: it may be starting
	fullScreen  bool
	screen      func() string // returns the text of the screen
}

// reset resets t for the next input. It adds to idle the timers of the waiting thread that have gone
// off without changing the text of the screen.
func (t *timers) reset(screen func() string) {
	for _, f := range t.fired {
		if f.Own && !f.likeAny(t.idle) && f.screen == screen() {
			f.screen = "" // it may be long
			t.idle = append(t.idle, f)
		}
	}
	*t = timers{known: t.known, idle: t.idle[max(0, len(t.idle)-maxTimers):]}
}

// knownBy returns, and stores in known, the timers that are set at the moment of a look, or may be. A
// look at a running program shows none, and a look at an event loop only the first, so knownBy adds those
// that earlier looks have shown. isReducer needs longer timers for some time after they went off.
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

// observe updates the timers from a look.
func (t *timers) observe(l timerEvidence) {
	if !l.view.Asleep {
		return // the program may be about to set timers
	}
	t.knownBy(l.view, l.now)
	t.expire(l)
	t.due, t.next = time.Time{}, time.Time{}
	for _, timer := range l.view.Timers {
		if timer.Own && l.view.OnlyTerminal || timer.Relay && !l.undelivered {
			continue // a program may read its keys in steps, or draw a clock around a nested program
		}
		switch t.judge(l, timer) {
		case awaitedTimer:
			t.await(l, timer)
		case hidingTimer:
			t.next = firstOf(t.next, timer.To)
		}
	}
}

// A timerMeaning says what a timer means for an answer that is awaited.
type timerMeaning int

const (
	ignoredTimer timerMeaning = iota
	awaitedTimer              // may bring the answer
	hidingTimer               // does not bring the answer, and may hide a timer that does
)

// judge returns the meaning of a timer. An event loop waits for its first timer only, so a look does
// not show the others. A thread that polls for work finds the work when its timer goes off, even if
// the timer was set before the input.
func (t *timers) judge(l timerEvidence, timer kernel.Timer) timerMeaning {
	left, seen := timer.To.Sub(l.now), seenTimer{timer, l.view.Foreground.PGID, ""}
	old := slices.ContainsFunc(l.before, timer.Same) || t.isReducer(timer)
	inert := timer.Own && old || l.fullScreen && old || left > briefTimer && timer.Own && seen.likeAny(t.idle)
	late := left > soonTimer && (l.view.HasReader && !timer.Own || !l.wakesItself() || l.fullScreen || !l.typed)
	switch {
	case left < -maxTimerDelay, seen.likeAny(t.fired):
		return hidingTimer // if it is not known when the timer goes off, To is zero and left is far below 0
	case timer.Length >= farTimer:
		return ignoredTimer
	case l.starting && timer.Own && !old && left > soonTimer:
		return hidingTimer
	case !late && (!inert || left <= briefTimer):
		return awaitedTimer
	case timer.Own && left < hidingLimit, !old && l.typed:
		return hidingTimer
	}
	return ignoredTimer
}

// isReducer reports whether a timer is that of V8's memory reducer, judging by its length or
// its distance from an earlier timer.
func (t *timers) isReducer(timer kernel.Timer) bool {
	off := reducerTimer - timer.Length
	return off >= 0 && off < reducerSlack || slices.ContainsFunc(t.known, func(k kernel.Timer) bool {
		return (timer.To.Sub(k.To) - reducerTimer).Abs() < reducerSlack
	})
}

// await records a timer that may bring the answer.
func (t *timers) await(l timerEvidence, timer kernel.Timer) {
	t.due = firstOf(t.due, timer.To)
	same := func(p seenTimer) bool { return p.Same(timer) }
	if !slices.ContainsFunc(t.pending, same) && len(t.pending) < maxTimers {
		t.pending = append(t.pending, seenTimer{timer, l.view.Foreground.PGID, l.screen()})
	}
}

// expire removes from pending the timers that are no longer set. A timer that was not due was cancelled;
// any other has gone off and is added to fired, unless a program that is not full-screen drew meanwhile.
func (t *timers) expire(l timerEvidence) {
	kept := t.pending[:0]
	for _, p := range t.pending {
		switch {
		case slices.ContainsFunc(l.view.Timers, p.Same):
			kept = append(kept, p)
		case l.now.Before(p.From):
		case len(t.fired) == maxTimers:
		default:
			if !l.fullScreen && p.screen != l.screen() {
				t.fired = nil // the answer continues; a full-screen program redraws from time to time
				continue
			}
			t.fired = append(t.fired, p)
		}
	}
	t.pending = kept
}

// firstOf returns the earlier of two times, or b if a is zero.
func firstOf(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

// wakesItself reports whether, as far as the look shows, only the terminal, timers, signals and the
// program's own processes can wake the program.
func (l *timerEvidence) wakesItself() bool {
	return !l.view.Waiting || l.view.OnlyTerminal || l.view.EventLoop
}
