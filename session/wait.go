package session

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
)

// The bounds of a wait.
const (
	DefaultTimeout = 5 * time.Second
	MinTimeout     = 100 * time.Millisecond
	MaxTimeout     = 600 * time.Second
	// progressEvery is how often a waiting call tells that it still waits.
	progressEvery = time.Second
)

// A goal is what one call waits for.
type goal struct {
	wait   Wait
	start  time.Time
	reader *reader
	peek   bool    // the reader is a copy: nothing is taken from anybody
	call   *typing // what the call typed, nil when nothing
	since  uint64  // for UntilChange
	match  *matcher
	fresh  bool   // only unread output counts (read_output)
	id     string // of the call, see WithCall
}

// checkWait returns w with its defaults applied, or an error that names what
// is wrong with it.
func checkWait(w Wait) (Wait, error) {
	if w.Timeout == 0 {
		w.Timeout = DefaultTimeout
	}
	if w.Timeout < MinTimeout || w.Timeout > MaxTimeout {
		return w, fmt.Errorf("%w: timeout is %s; allowed are %s to %s", ErrArgument, w.Timeout, MinTimeout, MaxTimeout)
	}
	switch w.Until {
	case "", UntilReady, UntilExit, UntilQuiet, UntilChange, UntilReleased, UntilNone:
	default:
		return w, fmt.Errorf("%w: until is %q; allowed are ready, exit, quiet, change, released, none", ErrArgument, w.Until)
	}
	switch w.View {
	case "", ViewAuto, ViewOutput, ViewScreen, ViewBoth, ViewDiff:
	default:
		return w, fmt.Errorf("%w: view is %q; allowed are auto, output, screen, both, diff", ErrArgument, w.View)
	}
	if w.MaxLines < 0 || w.MaxOutputChars < 0 {
		return w, fmt.Errorf("%w: max_lines and max_output_chars cannot be negative", ErrArgument)
	}
	if w.Until == "" && w.Pattern == nil {
		w.Until = UntilReady
	}
	return w, nil
}

// newGoal returns the goal of a call.
func (s *Session) newGoal(ctx context.Context, w Wait) (*goal, error) {
	w, err := checkWait(w)
	if err != nil {
		return nil, err
	}
	w.byLimit = w.MaxOutputChars == 0
	w.MaxOutputChars = cmp.Or(w.MaxOutputChars, s.m.opt.Limits.Output)
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readerLocked(w.Reader)
	if err != nil {
		return nil, err
	}
	peek := !r.moves(ctx)
	if peek {
		own := *r // which nobody else has
		r = &own
	}
	g := &goal{wait: w, start: time.Now(), reader: r, peek: peek, since: w.Since, id: callOf(ctx)}
	r.repeat(g.id)
	switch rev := s.term.Revision(); {
	case !w.HasSince:
		g.since = rev
	case w.Since > rev:
		g.since = 0 // from before a restart for which the log had not all: it has changed
	}
	if w.Pattern != nil {
		g.match = &matcher{pattern: w.Pattern}
	}
	return g, nil
}

// Exchange types in (nothing when it is empty), waits as w says and returns
// what came. It ends early, with ctx's error, when ctx ends. progress, when not
// nil, is called about every second while it waits.
func (s *Session) Exchange(ctx context.Context, in Input, w Wait, progress func(elapsed time.Duration, note string)) (*Reply, error) {
	g, err := s.newGoal(ctx, w)
	if err != nil {
		return nil, err
	}
	if g.call, _, err = s.typeIn(ctx, in, g.wait.Timeout); err != nil {
		return nil, err
	}
	return s.await(ctx, g, progress)
}

// await waits for g and returns the reply, made at the moment of the verdict.
func (s *Session) await(ctx context.Context, g *goal, progress func(time.Duration, string)) (*Reply, error) {
	defer s.waiting()()
	deadline := time.NewTimer(time.Until(g.start.Add(g.wait.Timeout)))
	defer deadline.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	again := time.NewTimer(time.Hour)
	defer again.Stop()
	for late := false; ; {
		reply, v, changed := s.judge(g, late)
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
		case <-tick.C:
			if progress != nil {
				progress(time.Since(g.start), s.progressNote())
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// progressNote says in a few words what the session does.
func (s *Session) progressNote() string {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	what, _ := s.runsLocked(tty)
	return "waiting for " + what
}

// judge decides whether g has been reached and, if so, makes the reply under
// the same lock. Otherwise it returns when to judge anew and what is closed at
// the next change. late says that the time is up.
func (s *Session) judge(g *goal, late bool) (*Reply, detect.Verdict, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.verdictLocked(g, time.Now())
	if !v.Done && late {
		v = detect.Verdict{Done: true, Reason: detect.Timeout, Layer: detect.LayerTimeout,
			Why: []string{fmt.Sprintf("the timeout of %s is over", g.wait.Timeout), s.kernelLocked().Text}}
	}
	if !v.Done {
		return nil, v, s.changed
	}
	return s.replyLocked(g, v), v, nil
}

// verdictLocked returns the verdict on g at now.
func (s *Session) verdictLocked(g *goal, now time.Time) detect.Verdict {
	if g.match != nil && s.matchLocked(g) {
		return detect.Verdict{Done: true, Reason: detect.Matched, Layer: detect.LayerRequest, Why: []string{"the pattern matched " + g.match.found}}
	}
	switch g.wait.Until {
	case UntilNone:
		return detect.Verdict{Done: true, Reason: detect.Returned, Layer: detect.LayerRequest}
	case UntilReleased:
		if v := s.releasedLocked(); v.Done {
			return v
		}
	case UntilChange:
		if s.term.Revision() > g.since && (g.call == nil || g.call.started) {
			return detect.Verdict{Done: true, Reason: detect.Changed, Layer: detect.LayerRequest}
		}
	}
	e := s.evidenceLocked(now, g.call)
	if e.Exited {
		return detect.Decide(e)
	}
	switch g.wait.Until {
	case UntilReady:
		return s.readyLocked(g, e)
	case UntilQuiet:
		return detect.Quiet(e)
	}
	if g.match != nil {
		return detect.Verdict{Again: g.match.next}
	}
	return detect.Verdict{}
}

// readyLocked decides by all layers, and takes the kernel's view when asked.
func (s *Session) readyLocked(g *goal, e detect.Evidence) detect.Verdict {
	v := detect.Decide(e)
	if v.Look && s.view.looker != nil && !e.Input.Queued && !e.Output.Unread && s.lookDue(e.Now) {
		s.lookLocked(e.Now)
		e.Kernel = s.kernelLocked()
		// A program that the look has seen wait may have turned echo off just before.
		e.TTY = s.modesLocked(s.lookTTY(), e.Now)
		v = detect.Decide(e)
	}
	if v.Done && g.fresh && !s.unreadLocked(g.reader, v.Reason) {
		return detect.Verdict{}
	}
	if due := g.guessDue(s.term.Revision()); v.Reason == detect.Settled && e.Now.Before(due) {
		// It may begin to wait for its user without a word: look again meanwhile.
		v = detect.Verdict{Again: minTime(due, e.Now.Add(guessLook))}
	}
	if g.match != nil && !g.match.next.IsZero() && (v.Again.IsZero() || g.match.next.Before(v.Again)) {
		v.Again = g.match.next
	}
	return v
}

const (
	// guessAgain is how long a wait that types nothing goes on before it answers
	// with the guess that its reader has had already; each further time twice as
	// long.
	guessAgain = 2 * time.Second
	maxGuesses = 8
	guessLook  = 100 * time.Millisecond
)

// guessDue returns when a guess at this revision may end the wait: at once,
// unless the reader has had it.
func (g *goal) guessDue(now uint64) time.Time {
	if g.call != nil || g.reader.guesses == 0 || g.reader.guessed != now {
		return time.Time{}
	}
	return g.start.Add(guessAgain << min(g.reader.guesses-1, maxGuesses))
}

// guess notes that r's reply at this revision was a guess, or was not.
func (r *reader) guess(yes bool, now uint64) {
	switch {
	case !yes:
		r.guesses = 0
	case r.guesses > 0 && r.guessed == now:
		r.guesses++
	default:
		r.guesses, r.guessed = 1, now
	}
}

// minTime returns the earlier of two times.
func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

const (
	// lookEvery is the least time between two looks of the kernel's view.
	lookEvery = 300 * time.Microsecond
	// lookShare is how many times as long as the last look took at least: one at a
	// program of a hundred threads takes a quarter of a millisecond.
	lookShare = 4
	// maxLookCost is the most that counts of it: on a busy machine, a look may
	// have been held up.
	maxLookCost = 2 * time.Millisecond
)

// lookDue reports whether enough time has passed since the last look.
func (s *Session) lookDue(now time.Time) bool {
	if now.Sub(s.view.at) < max(lookEvery, lookShare*min(s.view.cost, maxLookCost)) {
		return false
	}
	s.view.at = now
	return true
}

// unreadLocked reports whether r has output or a screen to read.
func (s *Session) unreadLocked(r *reader, reason detect.Reason) bool {
	if s.fullScreenLocked() {
		return s.term.Revision() > r.screen
	}
	return len(s.outputLocked(r.line, r.given, r.begun, reason)) > 0
}
