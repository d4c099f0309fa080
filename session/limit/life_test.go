package limit

import (
	"testing"
	"time"
)

// TestWarnBefore checks the time between the warning and the end.
func TestWarnBefore(t *testing.T) {
	for lifetime, want := range map[time.Duration]time.Duration{
		time.Second: 100 * time.Millisecond, 5 * time.Minute: 30 * time.Second, time.Hour: 6 * time.Minute, 24 * time.Hour: 10 * time.Minute,
	} {
		if got := warnBefore(lifetime); got != want {
			t.Errorf("lifetime %s: warned %s before, want %s", lifetime, got, want)
		}
	}
}

// TestLifeBeforeIdle checks that the next check of a session that may be idle is no later than the
// end of its lifetime.
func TestLifeBeforeIdle(t *testing.T) {
	began := time.Unix(0, 0)
	l := Life{Began: began, Used: began}
	limits := Limits{Idle: 10 * time.Minute, Lifetime: 11 * time.Minute}
	d := l.Due(limits, false, began.Add(10*time.Minute))
	if !d.Idle || d.End != "" || d.Warn == "" || !d.Next.Equal(began.Add(11*time.Minute)) {
		t.Errorf("%+v", d)
	}
	if d = l.Due(limits, false, d.Next); d.End == "" || d.Warn != "" {
		t.Errorf("at its end: %+v", d)
	}
}
