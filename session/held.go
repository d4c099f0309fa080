package session

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Held is input of a tool call that the danger check holds back.
type Held struct {
	Text  string    // that names it to Approve and Refuse
	Line  string    // what would be run
	Why   []string  // what was found, a sentence each
	What  []string  // the parts concerned, "" where it is the whole
	Until time.Time // when it is forgotten
}

// heldChangedLocked tells who waits for a change.
func (s *Session) heldChangedLocked() {
	s.holds++
	s.keepLocked()
	s.notifyLocked()
}

// Held returns the input that waits for a yes, oldest first.
func (s *Session) Held() []Held {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Held
	for _, h := range s.held {
		if time.Now().After(h.until) {
			continue
		}
		held := Held{Text: s.hide(h.confirmWith()), Line: s.hide(h.line), Until: h.until}
		for _, f := range h.found {
			why := f.Why
			if f.What != "" {
				why = fmt.Sprintf("by %q %s", f.What, f.Why)
			}
			held.Why, held.What = append(held.Why, s.hide(why)), append(held.What, s.hide(f.What))
		}
		list = append(list, held)
	}
	return list
}

// Approve types held input for a person who has looked at it, as the tool call
// would have, and tells the agent so. The error wraps ErrNotConfirmed when it is
// not held any more, and ErrHeld while somebody keeps tool calls from typing.
func (s *Session) Approve(ctx context.Context, p Person, text string) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	s.mu.Lock()
	err := s.keys.refuses(nil)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("give the keyboard back first: %w", err)
	}
	if _, err := s.TypeHeld(ctx, text); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices.add(fmt.Sprintf("%s approved the held input %q, and it was sent", p, clipLine(text)))
	s.keepLocked()
	return nil
}

// Refuse drops held input for a person, and tells the agent so. The error wraps
// ErrNotConfirmed when it is not held any more.
func (s *Session) Refuse(p Person, text string) error {
	if err := checkPerson(p); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.held, func(h heldInput) bool { return h.confirmWith() == text || s.hide(h.confirmWith()) == text })
	if i < 0 {
		return fmt.Errorf("%w: %q is not held", ErrNotConfirmed, clipLine(text))
	}
	s.held = slices.Delete(s.held, i, i+1)
	s.notices.add(fmt.Sprintf("%s refused the held input %q; do not try it another way", p, clipLine(text)))
	s.heldChangedLocked()
	return nil
}
