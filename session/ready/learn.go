package ready

import (
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/kernel"
)

// A Front is the foreground process group and the modes that it has set.
type Front struct {
	Group           int
	Canonical, Echo bool
}

// Learned is what verdicts have taught about the programs in front.
type Learned struct {
	Front   Front                // the process group and modes of the last confirmed prompt
	Fronts  []int                // process groups that have prompted
	Waiters []int                // process groups that have been seen to wait for input
	Waits   []kernel.Fingerprint // how programs waited at prompts
}

// frontOf returns the front that tty shows.
func frontOf(tty kernel.TTY) Front {
	return Front{tty.Group, tty.Canonical, tty.Echo}
}

const (
	// maxFronts bounds the programs remembered to have prompted.
	maxFronts = 16
	// maxFingerprints bounds the ways of waiting remembered from prompts.
	maxFingerprints = 32
)

// PromptStart returns the cell in the cursor's line where the prompt before the cursor
// begins, -1 if none is known there.
func (w *Watch) PromptStart() int { return w.State.PromptStartFor(w.newFront()) }

// newFront reports whether the program in front is known not to have prompted yet.
func (w *Watch) newFront() bool {
	now := w.view.now
	return w.view.fresh && now.Waiting && now.Nested == 0 && now.Foreground.PGID > 0 && !slices.Contains(w.Fronts, now.Foreground.PGID)
}

// Prompted reports whether a process group has prompted.
func (w *Watch) Prompted(group int) bool { return slices.Contains(w.Fronts, group) }

// Expected reports whether a program that has prompted still runs, so that a prompt can be
// expected.
func (w *Watch) Expected() bool {
	kept := w.Fronts[:0]
	for _, group := range w.Fronts {
		if syscall.Kill(-group, 0) != syscall.ESRCH {
			kept = append(kept, group)
		}
	}
	w.Fronts = kept
	return len(kept) > 0
}

// Learn remembers what a verdict teaches: the prompt's text, the program that showed it,
// and how that program waits.
func (w *Watch) Learn(v detect.Verdict) {
	if !w.stillAsks(v) {
		w.Answered, w.askedHere = false, v.Reason == detect.Password && asksHere(w.LookTTY())
		n := eventlog.VerdictNote{Reason: string(v.Reason), Marks: v.Layer == detect.LayerMarks}
		n.New = v.Reason == detect.Prompt && w.newFront()
		w.logVerdict(n)
	}
	if look := w.view.now; v.Layer == detect.LayerKernel && w.view.fresh && look.Waiting {
		w.Waiters = remember(w.Waiters, look.Foreground.PGID)
	}
	rests := v.Reason == detect.Settled || v.Reason == detect.AwaitingInput
	if rests && w.view.fresh && w.State.Term.FullScreen() {
		w.homes.rested(w.view.beforeCall, w.view.now, time.Now())
	}
	if v.Reason != detect.Prompt {
		return
	}
	tty := w.LookTTY()
	w.Front = frontOf(tty)
	w.Fronts = remember(w.Fronts, tty.Group)
	if tty.Known && !tty.Canonical {
		w.editors = remember(w.editors, tty.Group)
	}
	if look := w.view.now; w.view.fresh && look.Waiting && !w.knownWait(look.Fingerprint) {
		if len(w.Waits) == maxFingerprints {
			w.Waits = w.Waits[1:]
		}
		w.Waits = append(w.Waits, look.Fingerprint)
	}
}

// stillAsks reports whether the password question of an earlier verdict still waits, and v
// follows only from what its caller asked for.
func (w *Watch) stillAsks(v detect.Verdict) bool {
	return w.State.Reason == detect.Password && !w.Answered && v.Layer == detect.LayerRequest && detect.AsksSecret(strings.TrimSpace(w.State.AtCursor()))
}

// confirmQuiet is how long the terminal must have been quiet before typing confirms that
// the text at the cursor is a prompt.
const confirmQuiet = 100 * time.Millisecond

// confirm learns the prompt at the cursor when someone types there, whatever has ended the
// wait. This is how the first prompt of a program inside ssh is learned, which no layer can
// observe.
func (w *Watch) confirm(now time.Time) {
	busy := w.view.now.Known && !w.view.now.Waiting
	if busy || w.State.Term.FullScreen() || now.Sub(w.State.LastOutput) < confirmQuiet {
		return
	}
	// Text before a known prompt is output whose line has no end.
	if detect.LooksLikePrompt(w.State.AtCursor()) && w.PromptStart() <= 0 {
		w.logVerdict(eventlog.VerdictNote{New: true})
	}
}

// logVerdict applies and logs a verdict, unless it equals the last one.
func (w *Watch) logVerdict(n eventlog.VerdictNote) {
	n.Number, n.Output, n.Inputs = w.State.Verdict.Number, w.State.Raw.Total, w.State.Inputs
	if n == w.State.Verdict {
		return
	}
	n.Number++
	e := eventlog.NewNote(eventlog.NoteVerdict, n)
	w.Child.Note(*e)
	w.State.Apply(w.State.LastOutput, e)
}

// remember appends a process group unless it is 0 or already there, and removes the oldest
// if there are too many.
func remember(groups []int, group int) []int {
	if group <= 0 || slices.Contains(groups, group) {
		return groups
	}
	if len(groups) == maxFronts {
		groups = groups[1:]
	}
	return append(groups, group)
}
