package limit

import (
	"fmt"
	"time"
)

const (
	// maxWarn is the longest time from the warning to a session's readers until the end of its lifetime.
	maxWarn = 10 * time.Minute
	// A session that is in use, or whose program works, is checked again after 1/idleShare of the
	// idle timeout, but not before minRecheck.
	idleShare  = 4
	minRecheck = 100 * time.Millisecond
)

// A Life decides when a session is ended. A session is in use while a call waits for it or a person
// is connected. A tool call or a resource that names the session counts as a short use. A Life has
// no lock and no clock: its owner guards it and passes the time.
type Life struct {
	Began  time.Time
	Used   time.Time // when the last use ended or, if nothing has used the session, when it began
	Users  int       // number of calls that wait
	warned bool      // readers were warned that the lifetime is nearly over
}

// Due is what must be done with a session now.
type Due struct {
	End  string    // why the session must be ended, or "" if it need not be
	Warn string    // a warning for the session's readers, or "" for none
	Idle bool      // the session was not used for the idle timeout: if its program waits, call IdleEnd
	Next time.Time // when to call Life.Due again, if End is ""
}

// Due returns what must be done now. It returns the warning only once. attended says that a person
// is connected.
func (l *Life) Due(limits Limits, attended bool, now time.Time) Due {
	d := Due{Next: now.Add(time.Hour)}
	if limits.Lifetime > 0 {
		end := l.Began.Add(limits.Lifetime)
		warn := end.Add(-warnBefore(limits.Lifetime))
		raise := HowToRaise(Lifetime, Seconds(limits.Lifetime))
		switch {
		case !now.Before(end):
			d.End = fmt.Sprintf("its lifetime was over (%s)", raise)
			return d
		case now.Before(warn):
			d.checkBy(warn)
		case !l.warned:
			l.warned = true
			d.Warn = fmt.Sprintf("this session is ended at %s, in %s, when its lifetime is over (%s): save what is needed",
				end.Format(time.TimeOnly), end.Sub(now).Round(time.Second), raise)
		}
		d.checkBy(end)
	}
	if limits.Idle > 0 {
		recheck := now.Add(max(limits.Idle/idleShare, minRecheck))
		due := l.Used.Add(limits.Idle)
		if l.Users > 0 || attended {
			due = recheck
		}
		if d.Idle = !now.Before(due); d.Idle {
			due = recheck
		}
		d.checkBy(due)
	}
	return d
}

// checkBy makes sure that Next is not later than at.
func (d *Due) checkBy(at time.Time) {
	if at.Before(d.Next) {
		d.Next = at
	}
}

// IdleEnd returns why a session whose program waits for input must be ended. If the session is in
// use or was used within the idle timeout, it returns "".
func (l *Life) IdleEnd(limits Limits, attended bool, now time.Time) string {
	idle := now.Sub(l.Used)
	if l.Users > 0 || attended || idle < limits.Idle {
		return ""
	}
	return fmt.Sprintf("nobody had used it for %s and its program waited for input (%s)", idle.Round(time.Second), HowToRaise(Idle, Seconds(limits.Idle)))
}

// warnBefore returns the time from the warning of the readers to the end of a lifetime.
func warnBefore(lifetime time.Duration) time.Duration {
	return min(lifetime/10, maxWarn)
}
