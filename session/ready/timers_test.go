package ready

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// A timerRig gives timers looks at a program, whose screen it holds.
type timerRig struct {
	t      *testing.T
	timers timers
	now    time.Time
	timing timing
	screen string
}

func newTimerRig(t *testing.T) *timerRig {
	r := &timerRig{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.timing = timing{typed: true, view: kernel.View{Asleep: true, Waiting: true, Listens: true, Loop: true, Foreground: kernel.Process{PGID: 7}}}
	r.timing.screen = func() string { return r.screen }
	return r
}

// set returns a timer that is set now.
func (r *timerRig) set(length time.Duration, own bool) kernel.Timer {
	return kernel.Timer{Own: own, Length: length, From: r.now.Add(length), To: r.now.Add(length)}
}

// later returns a timer that is set so much later.
func later(t kernel.Timer, d time.Duration) kernel.Timer {
	t.From, t.To = t.From.Add(d), t.To.Add(d)
	return t
}

// look takes a look some time later, and checks after how long the first awaited
// timer goes off, and the first that hides; 0 for none.
func (r *timerRig) look(after, due, hides time.Duration, set ...kernel.Timer) {
	r.t.Helper()
	r.now = r.now.Add(after)
	r.timing.now, r.timing.view.Timers = r.now, set
	r.timers.look(r.timing)
	since := func(t time.Time) time.Duration {
		if t.IsZero() {
			return 0
		}
		return t.Sub(r.now)
	}
	if d, h := since(r.timers.due), since(r.timers.next); d != due || h != hides {
		r.t.Errorf("due after %s, hides until %s; want %s and %s", d, h, due, hides)
	}
}

// typed is the next input, which finds timers set.
func (r *timerRig) typed(set ...kernel.Timer) {
	r.timers.input(r.timing.screen)
	r.timing.before = set
}

const ms = time.Millisecond

// TestAnswerTimer awaits what an input has set, however late it goes off.
func TestAnswerTimer(t *testing.T) {
	r := newTimerRig(t)
	answer := r.set(7400*ms, true)
	r.look(0, 7400*ms, 0, answer)
	r.look(7000*ms, 400*ms, 0, answer)
	r.screen = "answer"
	r.look(400*ms, 0, 0)
}

// TestStartingTimer awaits no far timer of a program that was typed to while it started: node's
// memory reducer goes off eight seconds after that.
func TestStartingTimer(t *testing.T) {
	r := newTimerRig(t)
	r.timing.starting = true
	r.look(0, 0, 7700*ms, r.set(7700*ms, true))
	r.look(0, 300*ms, 0, r.set(300*ms, true))
}

// TestOldTimer does not await what was set before the input; it hides what may be
// behind it, but for when it is far off.
func TestOldTimer(t *testing.T) {
	r := newTimerRig(t)
	old := r.set(12*time.Second, true)
	r.typed(old)
	r.look(time.Second, 0, 0, old)
	r.look(9*time.Second, 0, 2*time.Second, old)
	r.typed()
	r.look(0, 2*time.Second, 0, old) // nobody had seen it
}

// TestTimerOfRunning does not take an old timer for a new one because the program ran
// as the input went out, as it does between the pieces of what is typed.
func TestTimerOfRunning(t *testing.T) {
	r := newTimerRig(t)
	old := r.set(7*time.Second, true)
	r.typed(old)
	r.look(10*ms, 0, 0, old)
	r.typed(r.timers.knownBy(kernel.View{}, r.now)...)
	r.look(10*ms, 0, 0, old)
	brief := r.set(30*ms, true) // before which nobody sees the old one
	r.look(10*ms, 20*ms, 0, brief)
	r.typed(r.timers.knownBy(kernel.View{}, r.now)...)
	r.look(30*ms, 0, 0, old)
	answer := r.set(400*ms, true)
	r.look(0, 400*ms, 0, answer)
}

// TestVagueTimer awaits a timer though one was set before of which nothing more was known
// at first than that it would be over by then.
func TestVagueTimer(t *testing.T) {
	r := newTimerRig(t)
	r.timing.fullScreen = true
	clock := r.set(800*ms, false)
	vague := clock
	vague.From = r.now
	r.typed(r.timers.knownBy(kernel.View{Timers: []kernel.Timer{vague}}, r.now)...)
	r.typed(r.timers.knownBy(kernel.View{Timers: []kernel.Timer{clock}}, r.now)...)
	r.look(10*ms, 700*ms, 0, r.set(710*ms, false))
}

// TestReducer knows V8's timer also when it was set again behind a sooner one.
func TestReducer(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 0, 0, r.set(8090*ms, true))
	first := r.set(7*time.Second, true) // its beginning was not seen
	r.typed(first)
	r.look(6800*ms, 0, 200*ms, first)
	answer := r.set(400*ms, true)
	r.look(0, 400*ms, 0, answer)
	r.now = r.now.Add(600 * ms)
	again := kernel.Timer{Own: true, Length: 7600 * ms, From: first.To.Add(reducerTimer), To: first.To.Add(reducerTimer)}
	r.screen = "answer"
	r.look(0, 0, 0, again)
}

// TestCursorTimer awaits a timer once that changes no text, and knows it then.
func TestCursorTimer(t *testing.T) {
	r := newTimerRig(t)
	blink := r.set(530*ms, true)
	r.look(0, 530*ms, 0, blink)
	r.now = r.now.Add(530 * ms)
	r.look(0, 0, 530*ms, r.set(530*ms, true))
	r.typed()
	r.look(100*ms, 0, 430*ms, r.set(530*ms, true))
	r.typed()
	r.look(100*ms, 300*ms, 0, r.set(400*ms, true))
}

// TestWorkTimer awaits timer after timer of a program that shows what it does.
func TestWorkTimer(t *testing.T) {
	r := newTimerRig(t)
	for i := range 5 {
		r.screen += string(rune('a' + i))
		r.look(200*ms, 200*ms, 0, later(r.set(200*ms, true), 200*ms))
	}
	r.timing.fullScreen = true // it redraws itself: once is enough
	r.typed()
	r.look(200*ms, 200*ms, 0, later(r.set(200*ms, true), 200*ms))
	r.screen = "anew"
	r.look(200*ms, 0, 200*ms, later(r.set(200*ms, true), 200*ms))
}

// TestBeat does not await a timer that goes off all the time more than once, as that of
// Go's programs that draw 60 times a second.
func TestBeat(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 16*ms, 0, r.set(16*ms, false))
	r.look(17*ms, 0, 16*ms, later(r.set(16*ms, false), 17*ms))
	r.look(17*ms, 0, 16*ms, later(r.set(16*ms, false), 17*ms))
}

// TestOtherTimers awaits another thread that looks for work soon, and takes one that
// has begun a long wait since the input for one that works.
func TestOtherTimers(t *testing.T) {
	r := newTimerRig(t)
	poll := r.set(300*ms, false)
	r.typed(poll)
	r.look(0, 300*ms, 0, poll)
	r.now = r.now.Add(300 * ms)
	r.look(0, 0, 300*ms, r.set(300*ms, false))
	r.typed()
	r.look(0, 0, 20*time.Second, r.set(20*time.Second, false))
	r.look(0, 0, 0, r.set(60*time.Second, false)) // Go's runtime
	r.timing.view.Listens = false
	r.look(0, 20*time.Second, 0, r.set(20*time.Second, false))
}

// TestTimersElsewhere leaves those alone that do not say when an answer is over.
func TestTimersElsewhere(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 0, 0, r.set(8100*ms, true)) // V8's
	r.timing.fullScreen = true
	r.look(0, 0, 4*time.Second, r.set(4*time.Second, true)) // updatetime
	r.timing.fullScreen, r.timing.typed = false, false
	r.look(0, 0, 4*time.Second, r.set(4*time.Second, true)) // of a start
	r.look(0, 500*ms, 0, r.set(500*ms, true))
	r.timing.typed = true
	r.timing.view.Sole, r.timing.view.Loop = true, false
	r.look(0, 0, 0, r.set(100*ms, true)) // irb looks for keys so
	relay := r.set(300*ms, false)
	relay.Relay = true
	r.look(0, 0, 0, relay)
	r.timing.held = true // screen holds an escape back
	r.look(0, 300*ms, 0, relay)
}

// TestTimerLimits remembers no more timers than it may.
func TestTimerLimits(t *testing.T) {
	r := newTimerRig(t)
	for i := range 3 * maxTimers {
		length := time.Duration(200+60*i) * ms
		r.timing.now, r.timing.view.Timers = r.now, []kernel.Timer{r.set(length, true)}
		r.timers.look(r.timing)
		r.now = r.now.Add(length + time.Second)
		r.timing.now, r.timing.view.Timers = r.now, nil
		r.timers.look(r.timing)
		if i%2 == 0 {
			r.typed()
		}
	}
	r.typed()
	if n := len(r.timers.idle); n == 0 || n > maxTimers {
		t.Errorf("%d idle timers remembered, at most %d", n, maxTimers)
	}
}
