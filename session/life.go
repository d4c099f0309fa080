package session

import (
	"context"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/wait"
)

const (
	// waitsLimit is the maximum duration of programWaits.
	waitsLimit = 2 * time.Second
	// The time of the last use is sent to the child's owner only when that time has changed by more
	// than the idle timeout divided by keepUsed, because each use changes it.
	keepUsed = 20
)

// A life decides when the server ends a session because of its age or idle time. The session's mutex guards it.
type life struct {
	limit.Life
	kept time.Time // the time of the last use that was sent to the child's owner
}

// usedLocked records that the session is used at now.
func (s *Session) usedLocked(now time.Time) {
	s.life.Used = now
	if idle := s.m.opt.Limits.Idle; idle > 0 && now.Sub(s.life.kept) > idle/keepUsed && s.child != nil {
		s.keepLocked()
	}
}

// waiting records that a call waits for the session, until done is called.
func (s *Session) waiting() (done func()) {
	s.mu.Lock()
	s.life.Users++
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.life.Users--
		s.usedLocked(time.Now())
	}
}

// lifeLoop ends the session when its lifetime or idle timeout is over.
func (s *Session) lifeLoop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.loops.exited:
			return
		case <-s.loops.closing.Done():
			return
		}
		d := s.lifeDue()
		if d.End != "" {
			s.mu.Lock()
			s.recordEndLocked(byServer + d.End)
			s.keepLocked()
			s.mu.Unlock()
			// Processes that remain are ended when the session is deleted.
			_ = s.child.End(context.Background(), syscall.SIGTERM, DefaultGrace)
			return
		}
		timer.Reset(time.Until(d.Next))
	}
}

// lifeDue returns what the session's age and idle time require now, and adds a warning for the readers if
// one is due. An idle session must be ended only if its program waits for input.
func (s *Session) lifeDue() limit.Due {
	limits := s.m.opt.Limits
	s.mu.Lock()
	d := s.life.Due(limits, s.keyboard.Attended(), time.Now())
	if d.Warn != "" {
		s.readers.Notices.Add(d.Warn)
	}
	s.mu.Unlock()
	if d.Idle && s.programWaits() {
		d.End = locked(s, func() string { return s.life.IdleEnd(limits, s.keyboard.Attended(), time.Now()) })
	}
	return d
}

// programWaits reports whether the program waits for input: a program at work is not idle. If no look at the
// kernel has ever succeeded, a settled program counts as waiting. After waitsLimit, it returns false.
func (s *Session) programWaits() (waits bool) {
	limit := time.Now().Add(waitsLimit)
	g := locked(s, func() wait.Goal { return s.goalLocked(Wait{Until: UntilReady}, &state.Reader{}) })
	s.until(context.Background(), func() (bool, time.Duration) {
		v := g.Verdict(time.Now(), false)
		switch {
		case v.Done && v.Reason == detect.Settled:
			waits = !s.ready.EverKnown()
		case v.Done:
			waits = v.Reason != detect.Exited
		case !v.Again.IsZero() && time.Now().Before(limit):
			return false, time.Until(v.Again)
		}
		return true, 0
	})
	return waits
}

// byServer is the prefix of Info.Ended if the server has ended the session.
const byServer = "ended by the server: "
