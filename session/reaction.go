package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session/ready"
)

// The minimum and maximum time between two looks at the kernel while a call waits for a
// reaction.
const reactionLook, maxReactionLook = 300 * time.Microsecond, 10 * time.Millisecond

// awaitReaction waits for the reaction r, or until the time for r is over. If the time is over and the
// program has not read its input, read is false. If the child or the session ends first, read is true.
func (s *Session) awaitReaction(ctx context.Context, r *ready.Reaction) (read bool, err error) {
	began := time.Now()
	reacted := s.until(ctx, func() (bool, time.Duration) {
		now := time.Now()
		waited := now.Sub(began)
		read = s.ready.Reacted(r, now)
		if !read && r.TimedOut(now, waited, s.queue.TurnWanted()) {
			read = !r.ReadAt.IsZero()
			return true, 0
		}
		return read, min(max(waited/8, reactionLook), maxReactionLook)
	})
	if reacted {
		return read, nil
	}
	return true, ctx.Err()
}
