package kernel

import (
	"testing"
	"time"
)

// TestTimers checks that a look says when a program's waits end by themselves.
func TestTimers(t *testing.T) {
	const loop = "p = select.epoll(); p.register(0, select.EPOLLIN)\n"
	tests := []struct {
		name, code string
		want       time.Duration // from when the program is ready; 0 for no timer
		own        bool
	}{
		{"none", "print('ready'); sys.stdin.readline()", 0, false},
		{"epoll", loop + "print('ready'); p.poll(3)", 3 * time.Second, true},
		{"select", "print('ready'); select.select([0], [], [], 3)", 3 * time.Second, true},
		{"sleep", "print('ready'); time.sleep(3)", 3 * time.Second, false},
		{"a thread that sleeps", "threading.Thread(target=time.sleep, args=(3,)).start(); print('ready'); sys.stdin.readline()", 3 * time.Second, false},
		{"a thread that waits for a lock", "e = threading.Event(); threading.Thread(target=e.wait, args=(3,)).start(); print('ready'); sys.stdin.readline()", 3 * time.Second, false},
		{"a pause before the wait", "time.sleep(0.3); " + loop + "print('ready'); p.poll(3)", 3 * time.Second, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := python(t, tt.code)
			r.look.Look() // sets the latest time at which the wait can have begun
			ready := time.Now()
			v := r.until("asleep", func(v View) bool { return v.Asleep })
			if tt.want == 0 {
				if len(v.Timers) > 0 {
					t.Errorf("timers %+v, want none", v.Timers)
				}
				return
			}
			if len(v.Timers) != 1 || v.Timers[0].Own != tt.own {
				t.Fatalf("timers %+v, want one, own %v", v.Timers, tt.own)
			}
			got := v.Timers[0]
			if off := got.To.Sub(ready) - tt.want; off < -time.Second || off > time.Second || got.To.Before(got.From) {
				t.Errorf("timer goes off %s after the program was ready, at the earliest after %s; want %s", got.To.Sub(ready), got.From.Sub(ready), tt.want)
			}
			if again := r.look.Look().Timers; len(again) != 1 || !again[0].Same(got) {
				t.Errorf("seen again as %+v, want %+v", again, got)
			}
		})
	}
}

// TestSameTimer checks a loop that begins a new wait for the same timer at each line, and for a
// later timer at the line "later".
func TestSameTimer(t *testing.T) {
	r := python(t, "end = time.monotonic() + 50; print('ready')\nwhile True:\n"+
		"  select.select([0], [], [], end - time.monotonic())\n"+
		"  if sys.stdin.readline() == 'later\\n': end += 3\n"+
		"  print('woken')\n")
	timer := func() Timer {
		v := r.waiting()
		if len(v.Timers) != 1 {
			t.Fatalf("timers %+v, want one", v.Timers)
		}
		return v.Timers[0]
	}
	first := timer()
	r.send("again\n")
	r.shows("woken", 1)
	if second := timer(); !first.Same(second) {
		t.Errorf("timer %+v, then %+v; want the same", first, second)
	}
	r.send("later\n")
	r.shows("woken", 2)
	if third := timer(); first.Same(third) {
		t.Errorf("timer %+v, then %+v; want another", first, third)
	}
}
