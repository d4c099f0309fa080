package session

import (
	"context"
	"fmt"
)

// State returns a number for Changed. The number grows with output, input, a resize, the exit, and changes
// of the keyboard or the held inputs.
func (s *Session) State() uint64 { return locked(s, s.stateLocked) }

// stateLocked adds up counters that only grow.
func (s *Session) stateLocked() uint64 {
	n := s.state.Term.Revision() + uint64(s.state.Raw.Total) + uint64(s.state.BytesIn) + s.keyboard.Changes() + s.guard.changes
	if s.end.status != StatusRunning {
		n++
	}
	return n
}

// Changed waits until State differs from seen and returns the new State. The error is ctx's, or
// wraps ErrNoSession if the session was removed from the Manager. Changed moves no reader.
func (s *Session) Changed(ctx context.Context, seen uint64) (uint64, error) {
	for {
		s.mu.Lock()
		now, changed := s.stateLocked(), s.changed
		s.mu.Unlock()
		if now != seen {
			return now, nil
		}
		select {
		case <-changed:
		case <-s.loops.closing.Done():
			return now, fmt.Errorf("%w: %q was deleted", ErrNoSession, s.id)
		case <-ctx.Done():
			return now, ctx.Err()
		}
	}
}
