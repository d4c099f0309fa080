package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session/ready"
)

// asksOn reports whether a line editor that was given a paste and Enter has not handed
// it over, but shows the prompt for a further line: Python's take an empty one for the
// end of a block.
func (f *feeder) asksOn() bool {
	s := f.s
	s.mu.Lock()
	r := ready.Whole(f.call.Since, ready.BusyLimit)
	r.Line = true
	inline := !s.state.FullScreen()
	s.mu.Unlock()
	if !inline {
		return false
	}
	if _, err := s.awaitReaction(f.ctx, &r); err != nil {
		return false // the call ends, and says so
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.status == StatusRunning && !s.state.HandedOver() && !s.state.FullScreen() && s.state.Prompts.Continues(s.state.AtCursor())
}

// handOverLimit is how long a call waits until the owner of the child has what it
// has typed: the owner outlives this process, our queue does not.
const handOverLimit = 250 * time.Millisecond

// awaitHandedOver waits until the child's owner has all of a call's input, or for
// a moment where the child does not read.
func (f *feeder) awaitHandedOver(ctx context.Context) {
	s := f.s
	limit := time.NewTimer(handOverLimit)
	defer limit.Stop()
	for {
		s.mu.Lock()
		done, changed := f.call.Finished || s.end.status != StatusRunning, s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		}
	}
}
