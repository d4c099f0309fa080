package session

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// MaxWaitAny is the maximum number of sessions of one WaitAny.
const MaxWaitAny = 100

// WaitAny waits for several sessions and returns the reply of the first that is done, or of
// the first session at the timeout. The readers of the other sessions do not move.
// Otherwise it is like Exchange without input.
func WaitAny(ctx context.Context, all []*Session, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	if len(all) == 0 || len(all) > MaxWaitAny {
		return nil, fmt.Errorf("%w: %d sessions to wait for; allowed are 1 to %d", ErrArgument, len(all), MaxWaitAny)
	}
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

// brokenLimit is how long a wait goes on after others have typed despite its call's
// reservation, until the program has answered them.
const brokenLimit = 2 * time.Second

// await waits until one of the goals is done and returns its reply, made at the moment of
// the verdict. When the time of the first goal is up, it returns the reply of that goal.
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
		switch selectAny(append([]<-chan struct{}{first.broken, ctx.Done()}, changes...), deadline.C, tick.C, recheck.C) {
		case timeUp:
			late = true
		case progressDue:
			if progress != nil {
				progress(time.Since(first.Start), progressNote(goals))
			}
		case reservationBroken:
			first.broken = nil
			first.BreakOff()
			deadline.Reset(min(brokenLimit, time.Until(first.Start.Add(first.Timeout))))
		case callEnded:
			return nil, ctx.Err()
		}
	}
}

// The events that wake await; higher numbers are changes of sessions.
const (
	timeUp = iota
	progressDue
	verdictDue
	reservationBroken
	callEnded
)

// progressNote says in a few words what a call waits for.
func progressNote(goals []*goal) string {
	if len(goals) > 1 {
		return fmt.Sprintf("waiting for one of %d sessions", len(goals))
	}
	s := goals[0].s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	what, _ := s.sourceLocked().Runs(tty)
	return "waiting for " + what
}

// judgeAll judges the sessions in turn; late says that the time of the first is up. It
// returns the reply of the first that is done, or else the channels that are closed when a
// session changes, and the time until one must be judged again.
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

// selectAny waits until a timer fires or a channel is closed, and returns its number: the
// timers are counted before the channels.
func selectAny(closed []<-chan struct{}, timers ...<-chan time.Time) int {
	cases := make([]reflect.SelectCase, 0, len(closed)+len(timers))
	for _, c := range timers {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
	}
	for _, c := range closed {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
	}
	i, _, _ := reflect.Select(cases)
	return i
}
