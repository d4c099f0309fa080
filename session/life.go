package session

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/state"
)

const (
	// warnShare is the part of a session's lifetime, in percent, before whose end
	// its readers are warned; minWarn and maxWarn bound that time.
	warnShare = 10
	minWarn   = time.Minute
	maxWarn   = 10 * time.Minute
	// idleShare is the part of the idle timeout after which a session is looked at
	// again whose program works, or whom somebody watches.
	idleShare = 4
	minAgain  = 100 * time.Millisecond // however short the timeout is
	// waitsLimit is how long it may take to see whether the program waits.
	waitsLimit = 2 * time.Second
	// keepUsed is the part of the idle timeout by which the time of the last use
	// that the next server would find may be behind.
	keepUsed = 20
)

// A life is what decides how long a session goes on. The session's mutex guards
// it. What counts as use: a tool call or a resource that names the session, a call
// that waits on it, and a person who watches or types.
type life struct {
	used   time.Time // the last use that has ended
	kept   time.Time // the used that the child's owner keeps
	users  int       // calls that wait
	warned bool      // that the lifetime is nearly over
}

// use notes that somebody uses the session.
func (s *Session) use() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.usedLocked(time.Now())
}

// usedLocked is use at a time.
func (s *Session) usedLocked(now time.Time) {
	s.life.used = now
	if idle := s.m.opt.Limits.Idle; idle > 0 && now.Sub(s.life.kept) > idle/keepUsed && s.child != nil {
		s.keepLocked()
	}
}

// waiting notes that a call waits on the session, until done is called.
func (s *Session) waiting() (done func()) {
	s.mu.Lock()
	s.life.users++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.life.users--
		s.usedLocked(time.Now())
	}
}

// lifeLoop ends the session when its time has come. It sleeps until then.
func (s *Session) lifeLoop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.loops.exited:
			return
		case <-s.loops.closing:
			return
		}
		now := time.Now()
		why, idle, next := s.lifeDue(now)
		if idle {
			why, next = s.ifIdle(now)
		}
		if why != "" {
			s.endFor(why)
			return
		}
		timer.Reset(time.Until(next))
	}
}

// lifeDue returns why the session is to be ended now, whether nobody has used it
// for too long, or else when to look again.
func (s *Session) lifeDue(now time.Time) (why string, idle bool, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, limits := &s.life, s.m.opt.Limits
	next = now.Add(time.Hour)
	if limits.Lifetime > 0 {
		end := s.created.Add(limits.Lifetime)
		warn := end.Add(-warnBefore(limits.Lifetime))
		switch {
		case !now.Before(end):
			return fmt.Sprintf("its lifetime was over (%s)", limit.Raise(limit.Lifetime, limit.Seconds(limits.Lifetime))), false, next
		case !now.Before(warn) && !l.warned:
			l.warned = true
			s.readers.notices.Add(fmt.Sprintf("this session is ended at %s, in %s, when its lifetime is over (%s): save what is needed",
				end.Format(time.TimeOnly), end.Sub(now).Round(time.Second), limit.Raise(limit.Lifetime, limit.Seconds(limits.Lifetime))))
			next = earlier(next, end)
		case l.warned:
			next = earlier(next, end)
		default:
			next = earlier(next, warn)
		}
	}
	if limits.Idle > 0 {
		due := l.used.Add(limits.Idle)
		if l.users > 0 || s.keys.Attended() {
			due = now.Add(max(limits.Idle/idleShare, minAgain))
		}
		if !now.Before(due) {
			return "", true, next
		}
		next = earlier(next, due)
	}
	return "", false, next
}

// warnBefore returns how long before the end of a lifetime readers are warned.
func warnBefore(lifetime time.Duration) time.Duration {
	return min(max(lifetime*warnShare/100, minWarn), maxWarn, lifetime/2)
}

// ifIdle returns why a session that nobody has used is to be ended, "" while its
// program works or somebody has come back, and when to look again then.
func (s *Session) ifIdle(now time.Time) (why string, next time.Time) {
	idle := s.m.opt.Limits.Idle
	next = now.Add(max(idle/idleShare, minAgain))
	if !s.programWaits() {
		return "", next
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.users > 0 || s.keys.Attended() || now.Sub(s.life.used) < idle {
		return "", next
	}
	return fmt.Sprintf("nobody had used it for %s and its program waited for input (%s)",
		time.Since(s.life.used).Round(time.Second), limit.Raise(limit.Idle, limit.Seconds(idle))), next
}

// programWaits reports whether the program waits for input: a program at work is
// not idle. Where the kernel tells nothing, one that has long been silent waits.
func (s *Session) programWaits() bool {
	limit := time.Now().Add(waitsLimit)
	timer := time.NewTimer(0)
	defer timer.Stop()
	s.mu.Lock()
	g := s.goalLocked(Wait{Until: UntilReady}, &state.Reader{})
	s.mu.Unlock()
	for {
		select {
		case <-timer.C:
		case <-s.loops.exited:
			return false
		case <-s.loops.closing:
			return false
		}
		s.mu.Lock()
		v := g.Verdict(time.Now(), false)
		told := s.ready.Tells()
		s.mu.Unlock()
		switch {
		case v.Done && v.Reason == detect.Settled:
			return !told
		case v.Done:
			return v.Reason != detect.Exited
		case v.Again.IsZero(), !time.Now().Before(limit):
			return false
		}
		timer.Reset(time.Until(v.Again))
	}
}

// endFor ends the session as terminate_process does, for a reason that everybody
// is told who asks for it later.
func (s *Session) endFor(why string) {
	s.mu.Lock()
	s.endedLocked(byServer + why)
	s.keepLocked()
	s.mu.Unlock()
	// Processes that remain are ended when the session is deleted.
	_ = s.child.End(context.Background(), syscall.SIGTERM, DefaultGrace)
}

// byServer begins the reason of an end that is the server's doing.
const byServer = "ended by the server: "
