package ready

import (
	"testing"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// A timerRig feeds looks at a program to timers, and holds the program's screen.
type timerRig struct {
	t      *testing.T
	timers timers
	now    time.Time
	timing timerEvidence
	screen string
}

func newTimerRig(t *testing.T) *timerRig {
	r := &timerRig{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r.timing = timerEvidence{typed: true, view: kernel.View{Asleep: true, Waiting: true, HasReader: true, EventLoop: true, Foreground: kernel.Process{PGID: 7}}}
	r.timing.screen = func() string { return r.screen }
	return r
}

// set returns a timer of the given length that is set now.
func (r *timerRig) set(length time.Duration, own bool) kernel.Timer {
	return kernel.Timer{Own: own, Length: length, From: r.now.Add(length), To: r.now.Add(length)}
}

// later returns the timer t, set later by d.
func later(t kernel.Timer, d time.Duration) kernel.Timer {
	t.From, t.To = t.From.Add(d), t.To.Add(d)
	return t
}

// look takes a look after some time. It checks the time until the first awaited timer goes off, and
// until the first timer that may hide a later one goes off; 0 means none.
func (r *timerRig) look(after, due, hides time.Duration, set ...kernel.Timer) {
	r.t.Helper()
	r.now = r.now.Add(after)
	r.timing.now, r.timing.view.Timers = r.now, set
	r.timers.observe(r.timing)
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

// typed begins the next input, before which the given timers were set.
func (r *timerRig) typed(set ...kernel.Timer) {
	r.timers.reset(r.timing.screen)
	r.timing.before = set
}

const ms = time.Millisecond

// TestAnswerTimer checks that a timer set after an input is awaited, however late it goes off.
func TestAnswerTimer(t *testing.T) {
	r := newTimerRig(t)
	answer := r.set(7400*ms, true)
	r.look(0, 7400*ms, 0, answer)
	r.look(7000*ms, 400*ms, 0, answer)
	r.screen = "answer"
	r.look(400*ms, 0, 0)
}

// TestStartingTimer checks that a distant timer is not awaited if the program was typed to while it
// started: node's memory reducer goes off eight seconds after that.
func TestStartingTimer(t *testing.T) {
	r := newTimerRig(t)
	r.timing.starting = true
	r.look(0, 0, 7700*ms, r.set(7700*ms, true))
	r.look(0, 300*ms, 0, r.set(300*ms, true))
}

// TestOldTimer checks that a timer set before the input is not awaited, and that it counts as one
// that may hide a later timer, unless it is far off.
func TestOldTimer(t *testing.T) {
	r := newTimerRig(t)
	old := r.set(12*time.Second, true)
	r.typed(old)
	r.look(time.Second, 0, 0, old)
	r.look(9*time.Second, 0, 2*time.Second, old)
	r.typed()
	r.look(0, 2*time.Second, 0, old) // it was not seen before the input
}

// TestTimerOfRunning checks that an old timer is not taken for a new one because the program was
// running when the input was sent, as it is between the pieces of typed text.
func TestTimerOfRunning(t *testing.T) {
	r := newTimerRig(t)
	old := r.set(7*time.Second, true)
	r.typed(old)
	r.look(10*ms, 0, 0, old)
	r.typed(r.timers.knownBy(kernel.View{}, r.now)...)
	r.look(10*ms, 0, 0, old)
	brief := r.set(30*ms, true) // it hides the old one
	r.look(10*ms, 20*ms, 0, brief)
	r.typed(r.timers.knownBy(kernel.View{}, r.now)...)
	r.look(30*ms, 0, 0, old)
	answer := r.set(400*ms, true)
	r.look(0, 400*ms, 0, answer)
}

// TestVagueTimer checks that a new timer is awaited although an old one was known only by its
// latest end at first.
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

// TestReducer checks that V8's timer is recognized even if it was set again after a sooner one.
func TestReducer(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 0, 0, r.set(8090*ms, true))
	first := r.set(7*time.Second, true) // its start was not seen
	r.typed(first)
	r.look(6800*ms, 0, 200*ms, first)
	answer := r.set(400*ms, true)
	r.look(0, 400*ms, 0, answer)
	r.now = r.now.Add(600 * ms)
	again := kernel.Timer{Own: true, Length: 7600 * ms, From: first.To.Add(reducerTimer), To: first.To.Add(reducerTimer)}
	r.screen = "answer"
	r.look(0, 0, 0, again)
}

// TestCursorTimer checks that a timer that changes no text is awaited once, and is known from then
// on.
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

// TestWorkTimer checks that one timer after another is awaited while the program shows progress.
func TestWorkTimer(t *testing.T) {
	r := newTimerRig(t)
	for i := range 5 {
		r.screen += string(rune('a' + i))
		r.look(200*ms, 200*ms, 0, later(r.set(200*ms, true), 200*ms))
	}
	r.timing.fullScreen = true // it redraws itself: one timer is enough
	r.typed()
	r.look(200*ms, 200*ms, 0, later(r.set(200*ms, true), 200*ms))
	r.screen = "anew"
	r.look(200*ms, 0, 200*ms, later(r.set(200*ms, true), 200*ms))
}

// TestBeat checks that a timer that keeps going off, like that of Go programs that draw 60 times a
// second, is awaited only once.
func TestBeat(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 16*ms, 0, r.set(16*ms, false))
	r.look(17*ms, 0, 16*ms, later(r.set(16*ms, false), 17*ms))
	r.look(17*ms, 0, 16*ms, later(r.set(16*ms, false), 17*ms))
}

// TestOtherTimers checks that another thread that soon looks for work is awaited, and that a thread
// that has begun a long wait since the input counts as working.
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
	r.timing.view.HasReader = false
	r.look(0, 20*time.Second, 0, r.set(20*time.Second, false))
}

// TestTimersElsewhere checks that timers that do not tell when an answer is over are not awaited.
func TestTimersElsewhere(t *testing.T) {
	r := newTimerRig(t)
	r.look(0, 0, 0, r.set(8100*ms, true)) // V8's
	r.timing.fullScreen = true
	r.look(0, 0, 4*time.Second, r.set(4*time.Second, true)) // Vim's updatetime
	r.timing.fullScreen, r.timing.typed = false, false
	r.look(0, 0, 4*time.Second, r.set(4*time.Second, true)) // set at the start
	r.look(0, 500*ms, 0, r.set(500*ms, true))
	r.timing.typed = true
	r.timing.view.OnlyTerminal, r.timing.view.EventLoop = true, false
	r.look(0, 0, 0, r.set(100*ms, true)) // irb polls for keys like this
	relay := r.set(300*ms, false)
	relay.Relay = true
	r.look(0, 0, 0, relay)
	r.timing.undelivered = true // GNU screen holds back an escape
	r.look(0, 300*ms, 0, relay)
}

// TestTimerLimits checks that at most maxTimers idle timers are remembered.
func TestTimerLimits(t *testing.T) {
	r := newTimerRig(t)
	for i := range 3 * maxTimers {
		length := time.Duration(200+60*i) * ms
		r.timing.now, r.timing.view.Timers = r.now, []kernel.Timer{r.set(length, true)}
		r.timers.observe(r.timing)
		r.now = r.now.Add(length + time.Second)
		r.timing.now, r.timing.view.Timers = r.now, nil
		r.timers.observe(r.timing)
		if i%2 == 0 {
			r.typed()
		}
	}
	r.typed()
	if n := len(r.timers.idle); n == 0 || n > maxTimers {
		t.Errorf("%d idle timers remembered, want 1 to %d", n, maxTimers)
	}
}
