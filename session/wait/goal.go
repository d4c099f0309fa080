package wait

import (
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/ready"
	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
)

// A Goal is what one call waits for. The session's mutex guards the Goal, its State and its Ready.
type Goal struct {
	Wait
	State *state.State
	Ready *ready.Watch

	Start      time.Time     // when the call began, before it typed
	Reader     *state.Reader // the reader that the call's reply goes to
	Input      *state.Input  // the call's input, or nil
	UnreadOnly bool          // for read_output: if the program is ready, the wait ends only when there is unread output
	since      uint64        // for UntilChange: the wait ends at a revision greater than this
	match      *matcher      // the state of the search for Pattern; nil if there is no pattern
}

// Begin records the session's state at the beginning of the wait.
func (g *Goal) Begin() {
	switch rev := g.State.Term.Revision(); {
	case g.Since == nil:
		g.since = rev
	case *g.Since > rev:
		g.since = 0 // the revision is from before a restart that has lost output, so the screen has changed
	default:
		g.since = *g.Since
	}
	if g.Pattern != nil {
		g.match = &matcher{pattern: g.Pattern, maxText: matchWork / text.PatternWork(g.Pattern)}
	}
}

// Verdict returns the verdict on g at the time now. free says whether tool calls may type. If the
// verdict is not Done, call Verdict again at the next change, or at Again if that is not zero.
func (g *Goal) Verdict(now time.Time, free bool) detect.Verdict {
	if v := g.matched(now, false); v.Done || !v.Again.IsZero() {
		return v
	}
	switch g.Until {
	case UntilNone:
		return detect.Requested(detect.Returned)
	case UntilReleased:
		if free && !g.State.Ended {
			return detect.Requested(detect.Released, "the keyboard is free: tool calls may type")
		}
	case UntilChange:
		if g.State.Term.Revision() > g.since && (g.Input == nil || g.Input.Started) {
			return detect.Requested(detect.Changed)
		}
	}
	e := g.evidence(now)
	if e.Exited {
		return detect.Decide(e)
	}
	switch g.Until {
	case UntilReady:
		return g.ready(e)
	case UntilQuiet:
		return detect.Quiet(e)
	}
	return detect.Verdict{}
}

// TimeoutVerdict returns the verdict on g when the wait's time is up: a match of the pattern, or a timeout.
func (g *Goal) TimeoutVerdict(now time.Time) detect.Verdict {
	if v := g.matched(now, true); v.Done {
		return v
	}
	return detect.Verdict{Done: true, Reason: detect.Timeout, Layer: detect.LayerTimeout,
		Why: []string{fmt.Sprintf("the timeout of %s is over", g.Timeout), g.Ready.Kernel().Text}}
}

// WaitOnlyForReady replaces the condition of g, and its pattern: the wait ends as soon as the program is ready.
func (g *Goal) WaitOnlyForReady() { g.Until, g.match = UntilReady, nil }

func (g *Goal) evidence(now time.Time) detect.Evidence {
	return g.Ready.Evidence(now, g.Input != nil && !g.Input.Finished)
}

// AtPrompt reports whether the program shows its prompt and has answered the input. Verdict checks
// this only for UntilReady, so a wait for something else may be at a prompt.
func (g *Goal) AtPrompt() bool {
	e := g.evidence(time.Now())
	v := g.Ready.Decide(&e)
	return v.Done && v.Reason == detect.Prompt
}

// LineBegun reports whether a line was begun at a learned prompt and not submitted.
func (g *Goal) LineBegun() bool { return g.evidence(time.Now()).LineBegun }

// ready decides by all kinds of evidence whether the program is ready.
func (g *Goal) ready(e detect.Evidence) detect.Verdict {
	v := g.Ready.Decide(&e)
	if v.Done && g.UnreadOnly && !g.Unread(v.Reason) {
		return detect.Verdict{}
	}
	if due := g.guessDue(g.State.Term.Revision()); v.Reason == detect.Settled && e.Now.Before(due) {
		// The program may begin to wait for input without writing anything, so look again before due.
		v = detect.Verdict{Again: slices.MinFunc([]time.Time{due, e.Now.Add(guessLook)}, time.Time.Compare)}
	}
	return v
}

const (
	// A guess is a verdict with the reason Settled. If the reader has already received this guess, a wait that
	// types nothing continues for repeatGuess before it ends. Meanwhile, guessLook is the time between two looks.
	repeatGuess = 2 * time.Second
	guessLook   = 100 * time.Millisecond
)

// guessDue returns when a guess at this revision of the screen may end the wait. If the call has typed, or
// its reader has not received a guess at this revision, it returns zero: the wait may end at once.
func (g *Goal) guessDue(revision uint64) time.Time {
	if g.Input != nil || g.Reader.Guessed != revision {
		return time.Time{}
	}
	return g.Start.Add(repeatGuess)
}

// Unread reports whether there is output or a screen that g's reader has not read. Raw output
// includes echoes.
func (g *Goal) Unread(reason detect.Reason) bool {
	if g.Raw {
		return g.State.Raw.Total > g.Reader.Raw
	}
	if g.State.Term.FullScreen() {
		return g.State.Term.Revision() > g.Reader.Screen
	}
	out, _ := g.State.Unseen(g.Reader, reason)
	return len(out) > 0
}
