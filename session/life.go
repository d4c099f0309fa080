package session

import (
	"context"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/state"
)

const (
	// waitsLimit bounds the check of whether the program waits.
	waitsLimit = 2 * time.Second
	// keepUsed is how precisely the time of the last use is kept for the next server: to one
	// part in keepUsed of the idle timeout.
	keepUsed = 20
)

// A life decides how long a session goes on. The session's mutex guards it.
type life struct {
	limit.Life
	kept time.Time // the last use that the child's owner keeps
}

// usedLocked notes that somebody uses the session at a time.
func (s *Session) usedLocked(now time.Time) {
	s.life.Used = now
	if idle := s.m.opt.Limits.Idle; idle > 0 && now.Sub(s.life.kept) > idle/keepUsed && s.child != nil {
		s.keepLocked()
	}
}

// waiting notes that a call waits for the session, until done is called.
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

// lifeLoop ends the session when its time is over. It sleeps until then.
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
		d := s.lifeDue()
		if d.End != "" {
			s.mu.Lock()
			s.endedLocked(byServer + d.End)
			s.keepLocked()
			s.mu.Unlock()
			// Processes that remain are ended when the session is deleted.
			_ = s.child.End(context.Background(), syscall.SIGTERM, DefaultGrace)
			return
		}
		timer.Reset(time.Until(d.Next))
	}
}

// lifeDue returns what is due at the session's age, and warns the readers.
func (s *Session) lifeDue() limit.Due {
	limits := s.m.opt.Limits
	s.mu.Lock()
	d := s.life.Due(limits, s.keys.Attended(), time.Now())
	if d.Warn != "" {
		s.readers.notices.Add(d.Warn)
	}
	s.mu.Unlock()
	if d.Idle && s.programWaits() {
		d.End = locked(s, func() string { return s.life.IdleEnd(limits, s.keys.Attended(), time.Now()) })
	}
	return d
}

// programWaits reports whether the program waits for input: a program at work is not idle.
// If the kernel shows nothing, a program that has long been silent counts as waiting.
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

// byServer begins the reason if the server has ended the session.
const byServer = "ended by the server: "
