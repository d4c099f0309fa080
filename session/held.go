package session

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/session/guard"
)

// HeldError is returned instead of typing or starting what the danger check found
// dangerous.
type HeldError = guard.HeldError

// heldChangedLocked tells who waits for a change.
func (s *Session) heldChangedLocked() {
	s.guard.changes++
	s.keepLocked()
	s.notifyLocked()
}

// Confirm types input that was held, exactly and once, and waits as Exchange does.
// text is its text, or the line that it would submit. With person it is a person who
// allows it, as one must where a person has refused it before. The error wraps
// ErrNotConfirmed when it is not held, a person is needed, or the line has changed since.
func (s *Session) Confirm(ctx context.Context, text string, person bool, w Wait, progress func(time.Duration, string)) (*Reply, error) {
	in, err := s.takeHeld(text, person)
	if err != nil {
		return nil, err
	}
	return s.exchange(ctx, in, w, progress)
}

// TypeHeld types held input without waiting, as Type does; see Confirm.
func (s *Session) TypeHeld(ctx context.Context, text string, person bool) (int, error) {
	in, err := s.takeHeld(text, person)
	if err != nil {
		return 0, err
	}
	return s.typeNow(ctx, in)
}

// errNoCheck is returned where nothing can be held.
var errNoCheck = fmt.Errorf("%w: there is no danger check, so nothing is held; type it with send_and_read", ErrNotConfirmed)

// MayConfirm returns why text, or the line that it would submit, cannot be confirmed;
// nil when it can.
func (s *Session) MayConfirm(text string, person bool) error {
	if s.m.opt.Danger == nil {
		return errNoCheck
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.guard.May(text, person, s.m.Hide, time.Now())
	return err
}

// takeHeld returns the held input that text confirms, and forgets it.
func (s *Session) takeHeld(text string, person bool) (entry, error) {
	if s.m.opt.Danger == nil {
		return entry{}, errNoCheck
	}
	l := s.lookGuard()
	s.mu.Lock()
	h, err := s.guard.Take(text, person, s.m.Hide, time.Now())
	if err == nil {
		s.heldChangedLocked()
	}
	s.mu.Unlock()
	if err != nil {
		return entry{}, err
	}
	return entry{Input: h.Input, confirmed: true}, h.Unchanged(s.m.opt.Danger, &l.Look, text)
}

// Held is input of a tool call that the danger check holds back. Its Text names it to
// Approve and Refuse.
type Held = guard.Question

// Held returns the input that waits for a yes, oldest first.
func (s *Session) Held() []Held {
	s.mu.Lock()
	pending := s.guard.Pending
	s.mu.Unlock()
	return pending.Questions(s.m.Hide, time.Now())
}
