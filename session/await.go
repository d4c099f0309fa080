package session

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// WaitAny waits for one or more sessions, each as Exchange does without input. It returns the reply of the
// session that is done first or, at the timeout, the reply of all[0]. The readers of the other sessions do
// not move.
func WaitAny(ctx context.Context, all []*Session, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	goals := make([]*goal, len(all))
	for i, s := range all {
		var err error
		if goals[i], err = s.newGoal(ctx, w); err != nil {
			return nil, err
		}
	}
	return await(ctx, goals, progress)
}

// progressEvery is the interval at which a waiting call reports that it still waits.
const progressEvery = time.Second

// If others type despite the reservation of a waiting call, the call waits for brokenLimit at most, until
// the program has answered what they typed.
const brokenLimit = 2 * time.Second

// await waits until one of the goals is done, and returns the reply to that goal, made at the moment of the
// verdict. When the time of the first goal is up, it returns the reply to the first goal.
func await(ctx context.Context, goals []*goal, progress func(time.Duration, string)) (*Reply, error) {
	for _, g := range goals {
		defer g.s.waiting()()
	}
	first := goals[0]
	deadline := time.NewTimer(time.Until(first.Start.Add(first.Timeout)))
	defer deadline.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	recheck := time.NewTimer(time.Hour)
	defer recheck.Stop()
	for late := false; ; {
		reply, changes, due := judgeAll(goals, late)
		if reply != nil {
			return reply, nil
		}
		recheck.Reset(due)
		changed, stop := anyClosed(ctx, changes)
		select {
		case <-changed:
		case <-recheck.C:
		case <-deadline.C:
			late = true
		case <-tick.C:
			if progress != nil {
				progress(time.Since(first.Start), progressNote(goals))
			}
		case <-first.broken:
			first.broken = nil
			first.WaitOnlyForReady()
			deadline.Reset(min(brokenLimit, time.Until(first.Start.Add(first.Timeout))))
		case <-ctx.Done():
		}
		if stop(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// progressNote says in a few words what a call waits for.
func progressNote(goals []*goal) string {
	if len(goals) > 1 {
		return fmt.Sprintf("waiting for one of %d sessions", len(goals))
	}
	s := goals[0].s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	what, _ := s.sourceLocked().ForegroundCommand(tty)
	return "waiting for " + what
}

// judgeAll judges the goals in turn; late reports that the first goal's time is up. It returns the reply to
// the first goal that is done. If none is done, it returns the channels that are closed when a session
// changes, and the time until a goal must be judged again.
func judgeAll(goals []*goal, late bool) (*Reply, []<-chan struct{}, time.Duration) {
	changes := make([]<-chan struct{}, len(goals))
	due := time.Hour
	for i, g := range goals {
		var (
			reply *Reply
			v     detect.Verdict
		)
		if reply, v, changes[i] = g.judge(late && i == 0); reply != nil {
			return reply, nil, 0
		}
		if !v.Again.IsZero() {
			due = min(due, time.Until(v.Again))
		}
	}
	return nil, changes, due
}

// anyClosed returns a channel that is closed when one of the channels is closed. If there are several, it
// is also closed when ctx ends. The caller must call the returned function when the channel is not needed.
func anyClosed(ctx context.Context, channels []<-chan struct{}) (<-chan struct{}, context.CancelFunc) {
	if len(channels) == 1 {
		return channels[0], func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	for _, c := range channels {
		go func() {
			select {
			case <-c:
				stop()
			case <-ctx.Done():
			}
		}()
	}
	return ctx.Done(), stop
}
