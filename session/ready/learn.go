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

// A Foreground is the foreground process group and the modes that it has set.
type Foreground struct {
	Group           int
	Canonical, Echo bool
}

// Learned contains what was learned about the foreground programs from verdicts.
type Learned struct {
	Foreground Foreground           `json:"Front"`  // the process group and modes at the last prompt
	Prompters  []int                `json:"Fronts"` // process groups that have prompted
	Waiters    []int                // process groups that have been seen to wait for input
	Waits      []kernel.Fingerprint // how programs waited at prompts
}

// foregroundOf returns the Foreground that tty shows.
func foregroundOf(tty kernel.TTY) Foreground {
	return Foreground{tty.Group, tty.Canonical, tty.Echo}
}

const (
	// maxGroups is the maximum number of process groups that a list remembers.
	maxGroups = 16
	// maxFingerprints is the maximum length of Learned.Waits.
	maxFingerprints = 32
)

// PromptStart returns the cell in the cursor's line where the prompt before the cursor
// begins, or -1 if no prompt is known there.
func (w *Watch) PromptStart() int { return w.State.PromptStart(w.newForeground()) }

// newForeground reports whether the foreground program waits for input and is known not to have
// prompted yet.
func (w *Watch) newForeground() bool {
	now := w.view.now
	return w.view.fresh && now.Waiting && now.Nested == 0 && now.Foreground.PGID > 0 && !slices.Contains(w.Prompters, now.Foreground.PGID)
}

// Prompted reports whether a process group has prompted.
func (w *Watch) Prompted(group int) bool { return slices.Contains(w.Prompters, group) }

// PromptExpected reports whether a program that has prompted still runs, so that a prompt can be
// expected. It forgets the programs that have ended.
func (w *Watch) PromptExpected() bool {
	kept := w.Prompters[:0]
	for _, group := range w.Prompters {
		if syscall.Kill(-group, 0) != syscall.ESRCH {
			kept = append(kept, group)
		}
	}
	w.Prompters = kept
	return len(kept) > 0
}

// Learn logs a verdict, unless stillAsks, and learns from it: the prompt's text, the program that showed
// the prompt, how that program waits, and where a full-screen program is idle.
func (w *Watch) Learn(v detect.Verdict) {
	if !w.stillAsks(v) {
		w.Answered, w.askedByMode = false, v.Reason == detect.Password && w.LookTTY().Secret()
		n := eventlog.VerdictNote{Reason: string(v.Reason), Marks: v.Layer == detect.LayerMarks}
		n.New = v.Reason == detect.Prompt && w.newForeground()
		w.logVerdict(n)
	}
	if look := w.view.now; v.Layer == detect.LayerKernel && w.view.fresh && look.Waiting {
		w.Waiters = remember(w.Waiters, look.Foreground.PGID, maxGroups)
	}
	rests := v.Reason == detect.Settled || v.Reason == detect.AwaitingInput
	if rests && w.view.fresh && w.State.Term.FullScreen() {
		w.idlePlaces.afterAnswer(w.view.beforeCall, w.view.now, time.Now())
	}
	if v.Reason != detect.Prompt {
		return
	}
	tty := w.LookTTY()
	w.Foreground = foregroundOf(tty)
	if tty.Group > 0 {
		w.Prompters = remember(w.Prompters, tty.Group, maxGroups)
		if tty.Raw() {
			w.editors = remember(w.editors, tty.Group, maxGroups)
		}
	}
	if look := w.view.now; w.view.fresh && look.Waiting {
		w.Waits = remember(w.Waits, look.Fingerprint, maxFingerprints)
	}
}

// stillAsks reports whether the password prompt of an earlier verdict is still unanswered, and v says
// nothing about the program, only that the call has what it asked for, such as a pattern.
func (w *Watch) stillAsks(v detect.Verdict) bool {
	return w.State.Reason == detect.Password && !w.Answered && v.Layer == detect.LayerRequest && detect.AsksSecret(strings.TrimSpace(w.State.AtCursor()))
}

// confirmQuiet is how long the terminal must have been quiet before typing confirms that
// the text at the cursor is a prompt.
const confirmQuiet = 100 * time.Millisecond

// confirm learns the text at the cursor as a prompt when input is typed there, even if no verdict
// has found a prompt. The first prompt of a program inside ssh is learned in this way, because the
// kernel of this machine does not show that program.
func (w *Watch) confirm(now time.Time) {
	busy := w.view.now.Known && !w.view.now.Waiting
	if busy || w.State.Term.FullScreen() || now.Sub(w.State.LastOutput) < confirmQuiet {
		return
	}
	// If a known prompt begins later in the line, the text before it is output without a newline.
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

// remember appends v unless list contains it, and removes the oldest value if there are more
// than limit.
func remember[T comparable](list []T, v T, limit int) []T {
	if slices.Contains(list, v) {
		return list
	}
	return append(list[max(0, len(list)+1-limit):], v)
}
