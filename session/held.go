package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/danger"
	"github.com/glasstty/glasstty/session/guard"
)

// A HeldError is returned instead of typing or starting what the danger check
// found dangerous. Confirm types it, once.
type HeldError struct {
	Session  string // whose input it is; of a start, the id by which it is confirmed
	Input    string // the text that confirms it
	Line     string // what would have been run
	Findings []danger.Finding
	Start    bool // a program was to be started
	Typed    bool // keys before the Enter were pressed: they recalled or completed the line
	Stopped  bool // ctrl+s has stopped the output: the screen does not show the line
	// Refused says who has refused it before, and when: only a person can allow it
	// then. "" when nobody has.
	Refused string
}

// Error says what was found.
func (e *HeldError) Error() string {
	var why []string
	for _, f := range e.Findings {
		what := ""
		if f.What != "" {
			what = fmt.Sprintf("%q ", f.What)
		}
		why = append(why, fmt.Sprintf("%s%s (%s)", what, f.Why, f.Rule))
	}
	if e.Refused != "" {
		why = append(why, e.Refused+", and only a person can allow it now")
	}
	return "held by the danger check: " + strings.Join(why, "; ")
}

// holdLocked keeps in until it is confirmed, and returns the error that says so.
func (s *Session) holdLocked(in Input, l *guardLook, d *guard.Decision, typed bool) error {
	h := guard.NewHeld(in, &l.Look, d, time.Now())
	s.guard.Hold(h)
	s.heldChangedLocked()
	return s.m.hideHeld(&HeldError{Session: s.id, Input: h.Name(), Line: h.Line, Findings: d.Findings, Typed: typed, Stopped: s.ready.Stopped(), Refused: h.Refused})
}

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
