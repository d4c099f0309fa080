package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/glasstty/glasstty/internal/bench/peer"
)

// A run drives one program at one place.
type run struct {
	o     options
	root  string // the zoo's directory
	bin   string // where its Go programs are
	prog  program
	place string

	world world
	term  terminal
	was   [2]view     // what the reader saw last of the main and the alternate screen
	line  [2]string   // the line that the cursor was in then
	echo  [2][]string // what was typed since
	steps []step      // the program's, with the command line to start it in a shell
}

// The runner's waits. None is part of a measured time.
const (
	keyPause  = 120 * time.Millisecond // between a patient person's keys
	still     = 500 * time.Millisecond // what moves no more for that long has come to rest
	watchMost = 20 * time.Second       // for what a reply lacks, and for a patient step
	lookPause = 50 * time.Millisecond
)

// all runs the whole script and returns an outcome for each step.
func (r *run) all(ctx context.Context) []outcome {
	r.steps = append([]step(nil), r.prog.steps...)
	out, err := r.steadily(ctx)
	for i := len(out); i < len(r.steps); i++ {
		o := r.outcome(i)
		o.Verdict = skipped
		if err != nil {
			o.Details = []string{err.Error()}
		}
		out = append(out, o)
	}
	if r.term != nil {
		r.term.close()
	}
	if err := r.world.end(r.prog); err != nil {
		fmt.Fprintln(os.Stderr, "zoo:", err)
	}
	return out
}

// steadily does one step after another. A step that had no effect is repeated
// patiently in a new session, so that the following steps can be tried.
func (r *run) steadily(ctx context.Context) ([]outcome, error) {
	var out []outcome
	first, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	for i := range r.steps {
		var o outcome
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case r.o.patient:
			o = r.outcome(i)
			if o.Verdict = right; !r.patiently(ctx, i) {
				o.Verdict, o.Screen = undone, r.shows(ctx)
			}
		default:
			o = r.step(ctx, i, first)
		}
		out = append(out, o)
		if o.Verdict == undone && r.o.patient {
			return out, errors.New("an earlier step was not done")
		}
		if o.Verdict == undone || o.Verdict == cannot || o.Verdict == failed {
			if err := r.again(ctx, i); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// begin creates a world and starts the program, or the shell into which it is
// typed.
func (r *run) begin(ctx context.Context) (*reply, error) {
	var err error
	if r.world, err = newWorld(ctx, r.root, r.bin, r.prog); err != nil {
		return nil, err
	}
	if r.term, err = dial(ctx, r.o, r.world); err != nil {
		return nil, err
	}
	with := r.steps[0].with
	if r.place != direct {
		r.steps[0].text = r.world.command(r.prog)
		with = nil
	}
	first, err := r.term.open(ctx, r.world.argv(r.prog, r.place), with)
	if err != nil || r.place == direct {
		return &first, err
	}
	peer.Pause(ctx, still)
	err = r.seen(ctx)
	return nil, err
}

// again restarts the program and types all steps up to this one as a patient person
// does.
func (r *run) again(ctx context.Context, upTo int) error {
	r.term.close()
	if err := r.world.end(r.prog); err != nil {
		return err
	}
	if _, err := r.begin(ctx); err != nil {
		return err
	}
	for i := range upTo + 1 {
		if !r.patiently(ctx, i) {
			return fmt.Errorf("step %d was not done patiently either; the screen:\n%s", i+1, r.shows(ctx))
		}
	}
	if _, err := r.term.drain(ctx); err != nil {
		return err
	}
	return r.seen(ctx)
}

// patiently types a step key by key and reports whether the screen then shows what
// it should.
func (r *run) patiently(ctx context.Context, i int) bool {
	s := r.steps[i]
	for k, p := range single(s.presses()) {
		if k > 0 && p.name == "enter" {
			r.rest(ctx)
		}
		if r.term.press(ctx, p) != nil {
			return false
		}
		peer.Pause(ctx, keyPause)
	}
	return r.comes(ctx, s, true)
}

// rest waits until the screen has not changed for a while, at most four times as
// long. A busy machine reads late, and some programs take an Enter that is read
// together with text for a paste.
func (r *run) rest(ctx context.Context) {
	last, since := "", time.Now()
	for end := time.Now().Add(4 * still); time.Now().Before(end) && time.Since(since) < still; peer.Pause(ctx, lookPause) {
		if now := r.shows(ctx); now != last {
			last, since = now, time.Now()
		}
	}
}

// comes waits until the screen shows what the step expects and, if rest is set,
// until it no longer changes.
func (r *run) comes(ctx context.Context, s step, rest bool) bool {
	last, since := "", time.Now()
	for end := time.Now().Add(watchMost); time.Now().Before(end); peer.Pause(ctx, lookPause) {
		now, err := r.term.screen(ctx)
		if err != nil || ctx.Err() != nil {
			return false
		}
		if now.text != last {
			last, since = now.text, time.Now()
		}
		if r.ends(ctx, s) && visible(now.text, s) && stands(now.text, s) && (!rest || time.Since(since) > still || s.spins) && r.hides(ctx, s) {
			return true
		}
	}
	return false
}

// visible reports whether text contains everything that the step expects in the
// reply.
func visible(text string, s step) bool {
	return !slices.ContainsFunc(s.see, func(e expect) bool { return !e.in(text) })
}

// stands reports whether text contains everything else that the step expects on the
// screen.
func stands(text string, s step) bool {
	return !slices.ContainsFunc(s.shows, func(e expect) bool { return !e.in(text) })
}

// hides reports whether the oracle's screen contains nothing that it must not
// contain.
func (r *run) hides(ctx context.Context, s step) bool {
	t, ok := r.term.(*tmux)
	if !ok {
		return true
	}
	text, err := t.run(ctx, "capture-pane", "-p")
	for _, e := range s.not {
		if err != nil || e.in(text) {
			return false
		}
	}
	return true
}

// ends reports whether the program on the oracle's screen is running or has exited,
// as the step says.
func (r *run) ends(ctx context.Context, s step) bool {
	t, ok := r.term.(*tmux)
	if !ok || !r.o.patient {
		return true
	}
	text, err := t.run(ctx, "display-message", "-p", "#{pane_dead} #{pane_current_command}")
	dead, command, _ := strings.Cut(strings.TrimSpace(text), " ")
	ended := dead == "1" || command == r.place
	return err == nil && (ended == s.end)
}

// shows returns the screen for a report.
func (r *run) shows(ctx context.Context) string {
	v, err := r.term.screen(ctx)
	if err != nil {
		return err.Error()
	}
	return strings.TrimRight(v.text, "\n")
}

// seen notes that the reader knows what is on the screen now.
func (r *run) seen(ctx context.Context) error {
	v, err := r.term.screen(ctx)
	r.note(v)
	return err
}

// note records what a reader has seen. A new alternate screen is empty at first.
func (r *run) note(v view) {
	if r.was[1] = (view{}); v.alt {
		r.was[1], r.line[1], r.echo[1] = v, v.line(), nil
	} else {
		r.was[0], r.line[0], r.echo[0] = v, v.line(), nil
	}
}

// sight returns what a person saw around the time of a reply.
func (r *run) sight(now, before view) sight {
	screen := 0
	if now.alt {
		screen = 1
	}
	was := r.was[screen]
	return sight{was: was.text, restyled: now.restyled(was), bars: r.prog.bars, echo: r.echo[screen], prompt: r.line[screen], before: before.text, now: now.text, row: now.row}
}

func (r *run) outcome(i int) outcome {
	typed := r.steps[i].String()
	if i == 0 {
		typed = "start " + r.prog.name
	}
	return outcome{Program: r.prog.name, Place: r.place, Step: i + 1, Typed: typed}
}

// step does one step in one call and judges the reply. first is the reply to the
// program's start, if the step is the start.
func (r *run) step(ctx context.Context, i int, first *reply) outcome {
	s, o := r.steps[i], r.outcome(i)
	for line := range strings.Lines(s.typed()) {
		if typed := squash(line); typed != "" {
			r.echo[0], r.echo[1] = append(r.echo[0], typed), append(r.echo[1], typed)
		}
	}
	var rep reply
	var err error
	if i == 0 && first != nil {
		rep = *first
	} else {
		rep, err = r.term.do(ctx, s)
	}
	if err != nil {
		o.Verdict, o.Details = failed, []string{err.Error()}
		if _, ok := err.(errCannot); ok {
			o.Verdict = cannot
		}
		return o
	}
	var v sight
	watched, timed := r.term.(timed)
	if timed {
		now, before, changed, err := watched.history(ctx, rep)
		if err != nil {
			o.Verdict, o.Details = failed, []string{err.Error()}
			return o
		}
		v = r.sight(now, before)
		if changed.Before(rep.began) {
			changed = rep.began
		}
		o.After = rep.came.Sub(changed)
		o.Late = o.After > lateAfter
		o.Screen = v.now
		r.note(now)
	}
	o.Took, o.Reason, o.Reply, o.Wanted = rep.came.Sub(rep.began), rep.reason, rep.text, s.wanted(r.place)
	o.Verdict, o.Details = judge(r.place, s, rep, v, timed)
	if o.Verdict == right && timed && !stands(v.now, s) {
		o.Verdict, o.Details = lost, []string{"the screen does not show it"}
	}
	if o.Verdict == lost {
		r.look(ctx, s, &rep, &o, v.now)
	}
	return o
}

// look finds out whether what a reply lacks was on the screen, comes later or never
// comes, and whether the next reply contains it.
func (r *run) look(ctx context.Context, s step, rep *reply, o *outcome, now string) {
	if now == "" || !visible(now, s) || !stands(now, s) {
		o.Verdict = early
		if !r.comes(ctx, s, false) {
			o.Verdict, o.Screen = undone, r.shows(ctx)
			return
		}
	}
	next, err := r.term.drain(ctx)
	o.Next = err == nil && visible(rep.text+"\n"+next, s)
	if err := r.seen(ctx); err != nil {
		o.Details = append(o.Details, err.Error())
	}
}
