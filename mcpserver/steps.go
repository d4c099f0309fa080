package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session"
)

// A stepRun executes steps in a session, one after the other.
type stepRun struct {
	call  *call
	s     *session.Session
	steps []step
	show  session.Wait // the form of the replies; it has no condition
	limit limit        // on the time of the whole run
	end   time.Time    // when limit runs out
	undo  func() error // makes the output that was read since the run began unread again

	first     *session.Reply   // the reply before the first step, or nil
	replies   []*session.Reply // one for each step begun, to its expectation and its input together
	stoppedAt *int             // index of the step at which the run stopped, done or not; nil if all steps completed
	why       string           // why the run stopped
	failed    error            // the error that stopped the run; nil if a condition stopped it
}

// newStepRun returns a run of steps. before is the timeout of the call's wait before the steps. The
// run's time limit is the sum of before and the maximum times of all steps, but not more than
// session.MaxTimeout and what call.limit allows.
func (c *call) newStepRun(s *session.Session, steps []step, before time.Duration, show session.Wait) *stepRun {
	total := before
	for i := range steps {
		total += steps[i].maxTime()
	}
	asked := min(total, session.MaxTimeout).Seconds()
	r := &stepRun{call: c, s: s, steps: steps, show: show, limit: c.limit(&asked, 0)}
	if r.show.MaxOutputChars == 0 {
		r.show.MaxOutputChars = c.srv.mgr.OutputLimit()
	}
	r.show.Newest = true
	r.end = time.Now().Add(r.limit.timeout)
	return r
}

// run executes the steps. It returns an error if it cannot reserve the session, if a step fails before
// there is a reply to show, if ctx ends, or if the input of the first step is held. On an error, the
// output that the steps have read becomes unread again.
func (r *stepRun) run(ctx context.Context, p *progress) (err error) {
	reserved, err := r.s.Reserve(ctx, r.steps[0].wait.Timeout)
	if err != nil {
		return err
	}
	defer reserved.Release()
	if r.undo == nil {
		if err := r.begin(ctx); err != nil {
			return err
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.undo())
		}
	}()
	ctx = reserved.With(ctx)
	for i := range r.steps {
		why, err := r.step(ctx, p, i)
		if by := reserved.BrokenBy(); by != "" && (err == nil || errors.Is(err, session.ErrBroken)) {
			why, err = by+" has typed meanwhile", nil
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && (r.last() == nil || i == 0 && errors.As(err, new(*session.HeldError))):
			return err // the client's user may be asked, and the call repeated
		case err != nil:
			r.failed = err
			return r.stop(ctx, i, r.errorText(ctx, err))
		case why != "":
			return r.stop(ctx, i, why)
		}
	}
	return ctx.Err() // a cancelled call has no answer
}

// begin saves the position of the run's reader, and sets undo.
func (r *stepRun) begin(ctx context.Context) (err error) {
	r.undo, err = r.s.BeginRun(r.call.stepContext(ctx), r.show.Reader)
	return err
}

// last returns the last reply, or nil if there is none.
func (r *stepRun) last() *session.Reply {
	if n := len(r.replies); n > 0 {
		return r.replies[n-1]
	}
	return r.first
}

// earlier returns the replies before the one that last returns.
func (r *stepRun) earlier() (all []*session.Reply) {
	if n := len(r.replies); n > 0 {
		all = slices.Clone(r.replies[:n-1])
		if r.first != nil {
			all = append([]*session.Reply{r.first}, all...)
		}
	}
	return all
}

// errorText describes why a step failed and what to do next.
func (r *stepRun) errorText(ctx context.Context, err error) string {
	if held := (*session.HeldError)(nil); errors.As(err, &held) {
		return r.call.heldText(ctx, held)
	}
	return errorForModel(ctx, err)
}

// stop ends the run at step i. If there is no reply, or the last one lacks the diff that the call
// asked for, stop gets a reply without waiting.
func (r *stepRun) stop(ctx context.Context, i int, why string) error {
	r.stoppedAt, r.why = &i, fmt.Sprintf("stopped at step %d: %s", i, why)
	last := r.last()
	if last != nil && (r.show.View != session.ViewDiff || last.Diff != nil) {
		return nil
	}
	w := r.show
	w.Until = session.UntilNone
	now, err := r.s.Exchange(r.call.stepContext(ctx), session.Input{}, w, nil)
	if err != nil {
		return err
	}
	if last == nil {
		r.first = now
		return nil
	}
	last.Diff, last.Cursor, last.Revision = now.Diff, now.Cursor, now.Revision
	return nil
}

// timeIsUp is the reason to stop at a step that had no time left.
const timeIsUp = "the time of this call is over; do the rest with another call"

// step executes step i. It returns why the run stops there, or "" if it continues.
func (r *stepRun) step(ctx context.Context, p *progress, i int) (why string, err error) {
	st := &r.steps[i]
	typedBefore := r.s.HasTyped(r.call.nextContext(ctx)) // the step typed before a restart of the server
	if st.expect != nil && !typedBefore {
		if why, err := r.expect(ctx, p, i); err != nil || why != "" {
			return why, err
		}
		if !st.types() && !st.waits {
			return "", nil
		}
	}
	if st.answers() && !typedBefore && r.s.AsksUnexpectedSecret(st.expect) {
		return "the program asks for a password, and no expect of this step matches its question; this step typed nothing", nil
	}
	w, ok := r.wait(i)
	if !ok {
		return timeIsUp, nil
	}
	reply, err := r.exchange(r.call.stepContext(ctx), p, i, w)
	if err != nil {
		return "", err
	}
	r.add(i, reply)
	return r.stopReason(i, reply), nil
}

// expect waits until the expectation of step i matches. It returns why the run stops there, or "".
func (r *stepRun) expect(ctx context.Context, p *progress, i int) (why string, err error) {
	w, ok := r.wait(i)
	if !ok {
		return timeIsUp, nil
	}
	w.Until, w.Pattern, w.IgnoreEcho = "", r.steps[i].expect, true
	reply, err := r.s.Exchange(r.call.stepContext(ctx), session.Input{}, w, p.setNote)
	if err != nil {
		return "", err
	}
	r.add(i, reply)
	if reply.Reason == detect.Matched {
		return "", nil
	}
	reply.Hint = "" // it would only say that the program still runs
	return r.unmetReason(i, reply), r.addCursorRows(ctx, reply)
}

// unmetRows is the number of screen rows shown when an expectation is not met.
const unmetRows = 10

// addCursorRows adds the rows around the cursor to a reply without a screen, unless the view is diff.
func (r *stepRun) addCursorRows(ctx context.Context, reply *session.Reply) error {
	if reply.Screen != nil || r.show.View == session.ViewDiff {
		return nil
	}
	w := r.show
	w.Until, w.View, w.MaxLines = session.UntilNone, session.ViewScreen, unmetRows
	rows, err := r.s.Exchange(ctx, session.Input{}, w, nil)
	if err != nil {
		return err
	}
	reply.Screen, reply.Shown, reply.Cursor, reply.Revision = rows.Screen, rows.Shown, rows.Cursor, rows.Revision
	return nil
}

// exchange types the input of step i and waits. If the client's user has allowed input, it was that of
// the first step, because held input of a later step only stops the run.
func (r *stepRun) exchange(ctx context.Context, p *progress, i int, w session.Wait) (*session.Reply, error) {
	if i == 0 {
		return r.call.typeAndWait(ctx, r.s, r.steps[i].input, w, p)
	}
	return r.s.Exchange(ctx, r.steps[i].input, w, p.setNote)
}

// wait returns the wait of step i; ok is false if the run has no time left.
func (r *stepRun) wait(i int) (w session.Wait, ok bool) {
	st := &r.steps[i].wait
	w = r.show
	w.Until, w.Pattern, w.IgnoreEcho = st.Until, st.Pattern, !r.steps[i].types()
	switch {
	case i+1 == len(r.steps):
	case w.View == session.ViewScreen:
		w.View = session.ViewBoth
	case w.View == session.ViewDiff:
		w.View = session.ViewOutput // the last reply has the rows that all steps have changed
	}
	left := time.Until(r.end)
	w.Timeout = min(st.Timeout, max(left, session.MinTimeout))
	return w, left > 0
}

// add records a reply to step i. If the step has a reply already, add joins the two.
func (r *stepRun) add(i int, reply *session.Reply) {
	if i < len(r.replies) {
		r.replies[i] = reply.After(r.replies[i], r.show.Raw)
		return
	}
	r.replies = append(r.replies, reply)
}

// stopReason returns why the run stops after step i, or "" if it continues.
func (r *stepRun) stopReason(i int, reply *session.Reply) string {
	switch reply.Reason {
	case detect.Timeout:
		return r.withMissedTimeout(i, "it did not complete")
	case detect.Settled:
		if r.steps[i].wait.Until != session.UntilQuiet {
			return "the screen has settled, which is a guess; look, then continue with another call; wait_for or until quiet avoids the stop"
		}
	case detect.Password:
		if i+1 < len(r.steps) && r.steps[i+1].answers() && r.steps[i+1].expect == nil {
			return "the program asks for a password, and the next step does not expect that"
		}
	}
	return ""
}

// unmetReason describes why the expectation of step i was not met.
func (r *stepRun) unmetReason(i int, reply *session.Reply) string {
	what := fmt.Sprintf("expect %s does not match", quotedShort(r.steps[i].expectation))
	switch {
	case reply.Reason == detect.Exited:
		return what + ": the program has exited; nothing was typed"
	case r.s.AsksSecret():
		return r.withMissedTimeout(i, what) + ": the program asks for a password; nothing was typed"
	}
	return r.withMissedTimeout(i, what) + "; nothing was typed"
}

// withMissedTimeout adds the timeout that has passed to what, the description of a condition: the
// call's timeout if it has passed and call.limit has shortened it, or else the timeout of step i.
func (r *stepRun) withMissedTimeout(i int, what string) string {
	if time.Until(r.end) > 0 || !r.limit.capped {
		return fmt.Sprintf("%s within %s", what, formatDuration(r.steps[i].wait.Timeout))
	}
	return fmt.Sprintf("%s within the %s that a call has without a progress token", what, formatDuration(r.limit.timeout))
}
