package session

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/wait"
)

// progressEvery is how often a waiting call tells that it still waits.
const progressEvery = time.Second

// A goal is what one call waits for in a session, and how it is answered.
type goal struct {
	wait.Goal
	s      *Session
	call   *queue.Call // what the call typed, nil when nothing
	peek   bool        // the reader is a copy: nothing is taken from anybody
	id     string      // of the call, see WithCall
	client control.Author
	// broken is closed when others type in spite of the call's reservation; nil for none.
	broken <-chan struct{}
}

// newGoal returns the goal of a call.
func (s *Session) newGoal(ctx context.Context, w Wait) (*goal, error) {
	w, err := w.Check()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArgument, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readers.reader(w.Reader, s.id)
	if err != nil {
		return nil, err
	}
	peek := !moves(ctx, r)
	if peek {
		own := *r // which nobody else has
		r = &own
	}
	g := &goal{Goal: s.goalLocked(w, r), s: s, peek: peek, id: callOf(ctx), client: authorOf(ctx, nil)}
	r.Repeat(g.id)
	if own := queue.ReservationOf(ctx); own != nil && w.Until != UntilReleased {
		g.broken = own.Breaks()
	}
	return g, nil
}

// brokenLimit is how long a wait goes on after others have typed in spite of its call's
// reservation: until the program is ready after what they typed.
const brokenLimit = 2 * time.Second

// goalLocked returns what a reader waits for from now on.
func (s *Session) goalLocked(w Wait, r *state.Reader) wait.Goal {
	g := wait.Goal{Wait: w, State: s.state, Ready: &s.ready, Start: time.Now(), Reader: r}
	g.Begin()
	return g
}

// Exchange types in (nothing when it is empty), waits as w says and returns
// what came. It ends early, with ctx's error, when ctx ends. progress, when not
// nil, is called about every second while it waits.
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
	g.Input = g.call.Typed()
	return g.await(ctx, progress)
}

// await waits for g and returns the reply, made at the moment of the verdict.
func (g *goal) await(ctx context.Context, progress func(time.Duration, string)) (*Reply, error) {
	defer g.s.waiting()()
	deadline := time.NewTimer(time.Until(g.Start.Add(g.Timeout)))
	defer deadline.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	for late := false; ; {
		reply, v, changed := g.judge(late)
		if v.Done {
			return reply, nil
		}
		var due <-chan time.Time
		if !v.Again.IsZero() {
			again.Reset(time.Until(v.Again))
			due = again.C
		}
		select {
		case <-changed:
		case <-due:
		case <-deadline.C:
			late = true
		case <-g.broken:
			g.broken = nil
			g.BreakOff()
			deadline.Reset(min(brokenLimit, time.Until(g.Start.Add(g.Timeout))))
		case <-tick.C:
			if progress != nil {
				progress(time.Since(g.Start), g.progressNote())
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// progressNote says in a few words what the session does.
func (g *goal) progressNote() string {
	s := g.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	what, _ := s.sourceLocked().Runs(tty)
	return "waiting for " + what
}

// judge decides whether g has been reached and, if so, makes the reply under
// the same lock. Otherwise it returns when to judge again and what is closed at
// the next change. late says that the time is up.
func (g *goal) judge(late bool) (*Reply, detect.Verdict, <-chan struct{}) {
	s := g.s
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	v := g.verdictLocked(now)
	if !v.Done && late {
		v = g.Late(now)
	}
	if !v.Done {
		return nil, v, s.changed
	}
	return g.replyLocked(v), v, nil
}

// verdictLocked returns the verdict on g at now.
func (g *goal) verdictLocked(now time.Time) detect.Verdict {
	return g.Verdict(now, g.s.keys.Holding().State == KeyboardFree)
}
