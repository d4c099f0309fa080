package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/wait"
)

// A goal is what one call waits for in a session, with the facts that its reply depends on.
type goal struct {
	wait.Goal
	s      *Session
	call   *queue.Call    // the call's input, or nil
	name   string         // of the call, see WithCall; or ""
	client control.Author // the client that makes the call, see WithClient
	// broken is closed when others type despite the call's reservation. It is nil if the call has no
	// reservation, or waits with UntilReleased.
	broken <-chan struct{}
}

func (s *Session) newGoal(ctx context.Context, w Wait) (*goal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readers.reader(w.Reader, s.id)
	if err != nil {
		return nil, err
	}
	if !mayMove(ctx, r) { // the call reads with a copy of the reader, so the reader does not move
		own := *r
		r = &own
	}
	g := &goal{Goal: s.goalLocked(w.WithDefaults(), r), s: s, name: callerOf(ctx).call, client: callerOf(ctx).client}
	r.RestoreRepeated(g.name)
	if own := queue.ReservationOf(ctx); own != nil && w.Until != UntilReleased {
		g.broken = own.Broken()
	}
	return g, nil
}

// goalLocked returns a goal that begins now.
func (s *Session) goalLocked(w Wait, r *state.Reader) wait.Goal {
	g := wait.Goal{Wait: w, State: s.state, Ready: &s.ready, Start: time.Now(), Reader: r}
	g.Begin()
	return g
}

// Exchange types the input in, which may be empty, waits as w says and returns the reply. If ctx ends
// before, Exchange returns ctx's error. progress, if not nil, is called about every second during the
// wait.
func (s *Session) Exchange(ctx context.Context, in Input, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	return s.exchange(ctx, entry{Input: in}, w, progress)
}

// exchange is Exchange for an entry.
func (s *Session) exchange(ctx context.Context, in entry, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	g, err := s.newGoal(ctx, w)
	if err != nil {
		return nil, err
	}
	if g.call, _, err = s.typeIn(ctx, in, g.Timeout); err != nil {
		return nil, err
	}
	if g.call != nil {
		g.Input = &g.call.Input
	}
	return await(ctx, []*goal{g}, progress)
}

// judge decides whether the wait is over. If so, it makes the reply while it still holds the lock. If not,
// it returns a verdict that says when to judge again, and a channel that is closed at the next change.
// late reports that the time is up, which ends the wait.
func (g *goal) judge(late bool) (*Reply, detect.Verdict, <-chan struct{}) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	v := g.verdictLocked(now)
	if !v.Done && late {
		v = g.TimeoutVerdict(now)
	}
	if !v.Done {
		return nil, v, s.changed
	}
	return g.replyLocked(v), v, nil
}

func (g *goal) verdictLocked(now time.Time) detect.Verdict {
	return g.Verdict(now, g.s.keyboard.Holding().State == KeyboardFree)
}
