package session

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/kernel"
)

// A view is the kernel's view and what earlier views have taught.
type view struct {
	looker looker
	before kernel.View // as the last input that wakes a reader went out
	// written says that such input has been written, and before taken.
	written bool
	// kept says that the terminal keeps that input for itself, such as ctrl+z: a
	// program that takes no notice does not run. stopped says that ctrl+s has
	// stopped the output.
	kept, stopped bool
	// asked says that, as the last input went out, a terminal inside this one
	// (script, expect) was set as for typing a password.
	asked bool
	// delivered says that it is known to have reached the terminal's reader.
	delivered bool
	sent      time.Time       // when that input went out
	now       kernel.View     // the last look
	fresh     bool            // no input or output came since now
	at        time.Time       // of the last look
	cost      time.Duration   // of the last look
	since     time.Time       // of the first of the equal looks that now ends
	first     kernel.Activity // of the first look since input or output that saw it wait
	told      bool            // a look has told before what the program does
	blind     time.Time       // of the first of the failed looks that now ends, zero when it has not failed
}

// input takes a look before data, which may be a reply to a query, is written to
// the child: it tells later whether the child has run since. In line mode the
// kernel keeps what is not yet a line: nobody wakes, and nobody need have run.
func (w *view) input(data []byte, tty ttyState) {
	w.fresh, w.asked = false, false
	w.stopped = tty.stops(data, w.stopped)
	if w.looker == nil || tty.known && tty.canonical && !wakes(data) {
		return
	}
	w.before, w.written, w.delivered, w.sent = w.look(), true, false, time.Now()
	w.kept = tty.keeps(data)
	w.asked = w.before.Nested > 0 && w.before.Modes.Secret()
}

// wakes reports whether typed bytes hold one at which line mode, as it is set
// by default, hands the line over or sends a signal: Enter, newline, and ctrl
// with C, D, Z and \.
func wakes(data []byte) bool { return bytes.ContainsAny(data, "\r\n\x03\x04\x1a\x1c") }

// lookLocked takes the kernel's view.
func (s *Session) lookLocked(now time.Time) {
	if s.view.looker == nil {
		return
	}
	began := time.Now()
	v := s.view.look()
	s.view.cost = time.Since(began)
	if v.Drained && s.child.Ahead(s.raw.total) {
		// Its owner has taken output that is still on its way here.
		v.Drained, v.Waiting = false, false
	}
	if !s.view.fresh || !kernel.Quiet(s.view.now, v) {
		s.view.since = now
	}
	if !s.view.fresh {
		s.view.first = kernel.Activity{}
	}
	if v.Waiting && s.view.first == (kernel.Activity{}) {
		s.view.first = v.Activity
	}
	s.view.now, s.view.fresh = v, true
	switch {
	case v.Known:
		s.view.blind, s.view.told = time.Time{}, true
	case s.view.blind.IsZero():
		s.view.blind = now
	}
}

// How long looks must have failed before weaker layers decide. A look fails for
// a moment while a process of the group begins, ends, or executes another
// program, which on a busy machine takes its time; and for good when the process
// belongs to another user, or the system tells nothing.
const (
	blindFor  = 20 * time.Millisecond
	blindOnce = time.Second // where looks have told, and nobody hides
)

// blinded reports whether the last look has failed, but may not have for good.
func (w *view) blinded() bool {
	limit := blindFor
	if w.told && !w.now.Hidden {
		limit = blindOnce
	}
	return w.fresh && !w.now.Known && w.at.Sub(w.blind) < limit
}

// kernelLocked returns the last look for package detect.
func (s *Session) kernelLocked() detect.Kernel {
	v := s.view.now
	if s.view.looker != nil && (!s.view.fresh || s.view.blinded()) {
		return detect.Kernel{}
	}
	if s.view.looker == nil || !v.Known {
		return detect.Kernel{Looked: true}
	}
	// A program that did not wait for input as it went out may have run since,
	// and gone to wait, before the input came.
	there := !s.view.written || s.view.before.Waiting || s.view.delivered && v.Nested == 0
	ran := !s.view.written || v.Scheduled(s.view.before)
	k := detect.Kernel{
		Looked: true, Known: true, Age: time.Since(s.view.at),
		Since: s.view.since,

		Unproven: !there && !s.lastOutput.After(s.view.sent) || !ran,
		Asleep:   v.Asleep,
		Listens:  v.Listens,
		Relayed:  v.Nested > 0,
		Final:    v.Final() && there && ran,
		Sure:     v.Sole && v.Rest != kernel.RestEvents,
		Seen:     s.knownWait(v.Fingerprint),
		Timed:    v.Timed,
		Ends:     v.Timeout,
		Renewed:  v.Waiting && v.Activity != s.view.first,
		Secret:   v.Nested > 0 && v.Modes.Secret() && s.secretInsideLocked(),
		Others:   v.Rest != kernel.RestIdle,
		Home:     s.homes.has(v),
		Away:     s.homes.of(v.Foreground.PGID) && !s.homes.has(v),
		Wakes:    v.Wakes,

		Prompts: slices.Contains(s.fronts, v.Foreground.PGID),
		Reads:   slices.Contains(s.waiters, v.Foreground.PGID),
	}
	k.Main = v.Foreground.PGID == s.child.PID()
	k.Asked = k.Main && v.Foreground.Comm == "fish"
	k.Own = k.Prompts || k.Main
	k.Reader = v.Reader != 0 && v.Reader == s.child.PID()
	// mc takes the keys for itself, and does not pass them on to its shell.
	passed := v.Nested > 0 && v.Nested == s.view.before.Nested && v.Activity != s.view.before.Activity
	k.Waiting = v.Waiting && (ran || s.view.kept || passed)
	k.Text = s.lookText(v, k.Waiting)
	return k
}

// lookText says for people what a look saw; waiting says whether the program is
// believed to wait.
func (s *Session) lookText(v kernel.View, waiting bool) string {
	what, where := "is busy", "terminal"
	if s.opt.Pipe {
		where = "pipe"
	}
	switch {
	case v.Stopped:
		what = "is stopped"
	case waiting && v.Sole:
		what = fmt.Sprintf("waits for input in %s on this %s alone", v.How, where)
	case waiting:
		what = fmt.Sprintf("waits for input in %s on this %s and others", v.How, where)
	case v.Waiting:
		what = "waits for input, but has not run since the last input"
	case v.Asleep:
		what = "sleeps, not on this " + where
	}
	return fmt.Sprintf("%s (pid %d) %s", v.Foreground.Comm, v.Foreground.PID, what)
}

// knownWait reports whether a program waited so at a confirmed prompt.
func (s *Session) knownWait(f kernel.Fingerprint) bool { return slices.Contains(s.waits, f) }
