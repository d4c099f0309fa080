package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session/ready"
)

// The bounds of the wait for what a program makes of one burst before the next.
const (
	// unreadLimit is how long a program that does not read is waited for, and
	// politeLimit the same while another call wants to type.
	unreadLimit = stallLimit
	politeLimit = 250 * time.Millisecond
	// busyLimit is how long a program is waited for that has read its input and does
	// not come to rest, and restlessLimit the same for the rest of a call in which it
	// has not.
	busyLimit     = time.Second
	restlessLimit = 100 * time.Millisecond
	// nearTimer is the longest timer that counts as part of the reaction: a search
	// that begins when its user pauses, a redraw that is put off. escapeTimer is the
	// same after Escape, which may be the beginning of another key: ncurses waits a
	// second for that, but not when a second Escape comes. timerSlack is how much later
	// than the Escape was seen to be read that second may end.
	nearTimer   = 300 * time.Millisecond
	escapeTimer = time.Second
	timerSlack  = 150 * time.Millisecond
	// pasteWindow is how long a program that has asked for pastes may take an Enter
	// after text for a part of one that came without brackets: the Gemini CLI for
	// 30 ms, Codex for 120. Nothing tells how long; a person's Enter comes later.
	pasteWindow = 150 * time.Millisecond
	// How often the kernel is asked.
	reactionLook, maxReactionLook = 300 * time.Microsecond, 10 * time.Millisecond
)

// awaitReaction waits for r. It reports false when the program has not read its
// input in time.
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
		limit := max(unreadLimit, r.Limit)
		if s.queue.Wanted() {
			limit = politeLimit
		}
		switch {
		case reacted, !r.Read.IsZero() && now.Sub(r.Read) >= r.Limit:
			return true, nil
		case r.Read.IsZero() && waited >= limit:
			return false, nil
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
