package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session/ready"
)

// The shortest and longest time between two looks at the kernel while a call waits for a
// reaction.
const reactionLook, maxReactionLook = 300 * time.Microsecond, 10 * time.Millisecond

// awaitReaction waits for r. It reports false if the program has not read its input in
// time.
func (s *Session) awaitReaction(ctx context.Context, r *ready.Reaction) (read bool, err error) {
	began := time.Now()
	look := time.NewTimer(reactionLook)
	defer look.Stop()
	for {
		s.mu.Lock()
		now := time.Now()
		reacted := s.ready.Reacted(r, now)
		changed := s.changed
		s.mu.Unlock()
		waited := now.Sub(began)
		switch {
		case reacted:
			return true, nil
		case r.Late(now, waited, s.queue.Wanted()):
			return !r.Read.IsZero(), nil
		}
		look.Reset(min(max(waited/8, reactionLook), maxReactionLook))
		select {
		case <-changed:
		case <-look.C:
		case <-s.loops.exited:
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
}
