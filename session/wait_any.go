package session

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// MaxWaitAny bounds the sessions of one WaitAny.
const MaxWaitAny = 100

// WaitAny waits on several sessions and returns the reply of the first that is
// done; the others' readers stay where they are. At the timeout it is the first
// session's. Otherwise it is as Exchange without input.
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
	for _, s := range all {
		defer s.waiting()()
	}
	deadline := time.NewTimer(time.Until(goals[0].Start.Add(goals[0].Timeout)))
	defer deadline.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	for {
		reply, changes, due := judgeAll(goals)
		if reply != nil {
			return reply, nil
		}
		again.Reset(due)
		switch selectAny(changes, again.C, ctx.Done(), deadline.C, tick.C) {
		case 1:
			return nil, ctx.Err()
		case 2:
			reply, _, _ = goals[0].judge(true)
			return reply, nil
		case 3:
			if progress != nil {
				progress(time.Since(goals[0].Start), fmt.Sprintf("waiting for one of %d sessions", len(all)))
			}
		}
	}
}

// judgeAll judges the sessions in turn. It returns the reply of the first that
// is done, or what is closed when one changes and how long until one must be
// judged again.
func judgeAll(goals []*goal) (*Reply, []<-chan struct{}, time.Duration) {
	changes := make([]<-chan struct{}, len(goals))
	due := time.Hour
	for i, g := range goals {
		var (
			reply *Reply
			v     detect.Verdict
		)
		if reply, v, changes[i] = g.judge(false); reply != nil {
			return reply, nil, 0
		}
		if !v.Again.IsZero() {
			due = min(due, time.Until(v.Again))
		}
	}
	return nil, changes, due
}

// selectAny waits for the first of all channels and returns the number of the
// others' that it was, with 0 for again and -1 for one of changes.
func selectAny(changes []<-chan struct{}, again <-chan time.Time, done <-chan struct{}, deadline, tick <-chan time.Time) int {
	cases := make([]reflect.SelectCase, 0, len(changes)+4)
	recv := func(c any) {
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)})
	}
	recv(again)
	recv(done)
	recv(deadline)
	recv(tick)
	for _, c := range changes {
		recv(c)
	}
	i, _, _ := reflect.Select(cases)
	if i > 3 {
		return -1
	}
	return i
}
