package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/kernel"
)

// A front is the process group in front of the terminal and the modes that it
// has set.
type front struct {
	group           int
	canonical, echo bool
}

// of returns the front that tty shows.
func (tty ttyState) front() front {
	return front{tty.group, tty.canonical, tty.echo}
}

const (
	// maxFronts bounds the programs remembered to have prompted.
	maxFronts = 16
	// maxFingerprints bounds the ways of waiting remembered from prompts.
	maxFingerprints = 32
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

// secretInsideLocked reports whether a terminal inside this one that is set as for
// typing a password is so for one. In a full-screen program the text at the cursor
// has to ask for it, too: Emacs sets the terminals of its shells so for good.
func (s *Session) secretInsideLocked() bool {
	if !s.fullScreenLocked() {
		return true
	}
	shot := s.term.Snapshot(0)
	return detect.AsksSecret(strings.TrimSpace(upTo(shot.Screen[shot.Cursor.Row].Text(), shot.Cursor.Col)))
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

// answeredLocked returns how many bytes the child has written since the last
// input, 0 while they are a line feed alone: with that a program ends the line
// in which it has read a secret, and has not answered yet.
func (s *Session) answeredLocked() int64 {
	n := s.raw.total - s.last.offset
	if n > int64(len("\r\n")) {
		return n
	}
	if p, _ := s.raw.since(s.last.offset); len(bytes.Trim(p, "\r\n")) == 0 {
		return 0
	}
	return n
}

// evidenceLocked gathers what a verdict is made from. call is the input that
// the wait is about, nil when it typed nothing.
func (s *Session) evidenceLocked(now time.Time, call *typing) detect.Evidence {
	e := detect.Evidence{
		Now:    now,
		Exited: s.status != StatusRunning,
		Input: detect.Input{
			Queued: s.unsent > 0 || call != nil && !call.finished,
			At:     s.last.at, Typed: s.last.by, Submitted: s.last.submitted,
		},
		Output: detect.Output{Last: s.lastOutput, Since: s.answeredLocked()},
	}
	if e.Exited || e.Input.Queued {
		return e
	}
	tty := s.lookTTY()
	if e.Output.Unread = tty.pending > 0 || s.child.Ahead(s.raw.total); e.Output.Unread {
		return e
	}
	e.TTY = s.modesLocked(tty, e.Now)
	e.Output.Held = s.term.Partial() || s.term.Modes().Synchronized
	e.FullScreen = s.fullScreenLocked()
	e.Blank = e.FullScreen && s.term.Snapshot(0).Text() == ""
	e.AtCursor, e.OnText = s.aroundCursorLocked()
	pos, ok := s.term.CursorPosition()
	e.Input.Moved = ok && (!s.last.onText || pos.Line > s.last.pos.Line)
	if !ok && !e.FullScreen {
		e.Input.Moved = s.raw.total > s.last.offset // its rows have no numbers
	}
	if s.opt.Pipe {
		// Nothing echoes what is typed, so the next prompt may come in the same
		// line, but it is output.
		e.Input.Moved = s.raw.total > s.last.offset
	}
	e.Marks = s.marks.evidence(s.last)
	e.Kernel = s.kernelLocked()
	if s.opt.Pipe && s.last.submitted && e.Output.Since == 0 {
		// Nothing moves there when a line is typed: what stands at the cursor is
		// the prompt before it.
		e.AtCursor = ""
	}
	if !e.FullScreen {
		var start int
		start, e.Learned.Prompt = s.prompts.Match(e.AtCursor)
		e.Whole = e.Learned.Prompt && (start == 0 || s.editedLocked(emulator.Cells(e.AtCursor[:start])))
		e.Plain = e.Learned.Prompt && s.prompts.Drawn(e.AtCursor) && !s.drawnPromptLocked()
	}
	e.Edited = s.editingLocked()
	e.Again = !e.FullScreen && detect.SamePrompt(s.last.prompt, e.AtCursor)
	e.Continues = !e.FullScreen && !e.Learned.Prompt && s.continuesLocked(e.AtCursor, e.Kernel)
	e.SameFront = e.Learned.Prompt && s.front == tty.front()
	e.Expected = s.expectedLocked()
	e.Input.Prompted = e.AtCursor == "" && e.Kernel.Prompts && e.Kernel.Waiting && !e.Kernel.Sure && s.promptedLocked()
	e.Pace = s.pace.Rhythm(now)
	return e
}

// continuesLocked reports whether the text at the cursor is the prompt for a further
// line: of a program that waits as it does at prompts, or whose line editor has not
// handed the lines over yet, as prompt_toolkit's in IPython.
func (s *Session) continuesLocked(atCursor string, k detect.Kernel) bool {
	waits := !k.Known || k.Sure || k.Seen || s.term.Modes().BracketedPaste
	return waits && s.prompts.Continues(atCursor)
}

// modesLocked returns what tty says for package detect, and since when.
func (s *Session) modesLocked(tty ttyState, now time.Time) detect.TTY {
	if front := tty.front(); front != s.modes || s.modesAt.IsZero() {
		s.modes, s.modesAt = front, now
	}
	return detect.TTY{Known: tty.known, Canonical: tty.canonical, Echo: tty.echo, Since: s.modesAt}
}

// maxPrompted is in how many of the last lines a prompt is looked for that other
// text has come behind.
const maxPrompted = 50

// promptedLocked reports whether a learned prompt has come since the last input,
// below the line where that was typed, and text behind it.
func (s *Session) promptedLocked() bool {
	end := s.term.EndLine()
	for _, l := range s.term.Lines(max(s.last.pos.Line+1, end-maxPrompted), end) {
		if n := s.prompts.Prefix(l.Text); n > 0 && n < len(l.Text) {
			return true
		}
	}
	return false
}

// evidence returns what the marks say about what came after in. A D alone says
// that the shell took an empty line, unless it ends a command that ran already
// when in was typed.
func (k *marks) evidence(in typed) detect.Marks {
	took := k.ran > in.offset || k.done > in.offset && !in.running
	return detect.Marks{
		Back:    k.prompted && !k.weak && in.by && k.end.Offset > in.offset,
		Prompt:  k.prompted && !k.weak && (!in.by || k.end.Offset > in.offset && took),
		Lines:   k.due > 0,
		Running: k.running,

		Starting: k.promptDue(),
	}
}

// fullScreenLocked reports whether the program owns the screen.
func (s *Session) fullScreenLocked() bool {
	return s.term.FullScreen()
}

// atCursorLocked returns the text left of the cursor in its line, blanks
// included, "" in a full-screen program.
func (s *Session) atCursorLocked() string {
	text, _ := s.aroundCursorLocked()
	return text
}

// aroundCursorLocked is atCursorLocked that also reports whether the cursor
// stands on a character.
func (s *Session) aroundCursorLocked() (before string, on bool) {
	pos, ok := s.term.CursorPosition()
	text := ""
	switch lines := s.term.Lines(pos.Line, pos.Line+1); {
	case !ok && s.fullScreenLocked():
		return "", false
	case !ok:
		// The program places its rows itself, as bpython does; they are no lines.
		shot := s.term.Snapshot(0)
		pos.Offset, text = shot.Cursor.Col, shot.Screen[shot.Cursor.Row].Text()
	case len(lines) > 0:
		text = lines[0].Text
	}
	rest := emulator.CutCells(text, pos.Offset)
	return upTo(text, pos.Offset), rest != "" && rest[0] != ' '
}

// upTo returns the first n cells of text, filled with blanks.
func upTo(text string, n int) string {
	if rest := emulator.CutCells(text, n); rest != "" {
		return text[:len(text)-len(rest)]
	}
	return text + strings.Repeat(" ", max(0, n-emulator.Cells(text)))
}

// promptStartLocked returns the cell in the cursor's line where the prompt
// before the cursor begins, -1 when none is known there.
func (s *Session) promptStartLocked() int {
	pos, ok := s.term.CursorPosition()
	if !ok {
		return -1
	}
	if k := &s.marks; k.prompted && k.end.At.Line == pos.Line {
		if k.start.At.Line == pos.Line {
			return k.start.At.Offset
		}
		return 0
	}
	if at, ok := s.promptEditLocked(); ok {
		if at.Line == pos.Line {
			return at.Offset
		}
		return 0
	}
	text := s.atCursorLocked()
	at, ok := s.prompts.Match(text)
	switch {
	case !ok:
		return -1
	case at > 0 && detect.LooksLikePrompt(text) && s.newFrontLocked():
		return 0 // "octave:1> " after Lua's "> "
	case at > 0 && len(text)-at >= detect.MaxPromptText-utf8.UTFMax:
		return 0 // a prompt longer than what is learned of it
	}
	return emulator.Cells(text[:at])
}

// newFrontLocked reports whether the program in front is seen to be one that has
// not prompted yet.
func (s *Session) newFrontLocked() bool {
	now := s.view.now
	return s.view.fresh && now.Waiting && now.Nested == 0 && now.Foreground.PGID > 0 && !slices.Contains(s.fronts, now.Foreground.PGID)
}

// expectedLocked reports whether a program that has prompted still runs.
func (s *Session) expectedLocked() bool {
	kept := s.fronts[:0]
	for _, group := range s.fronts {
		if syscall.Kill(-group, 0) != syscall.ESRCH {
			kept = append(kept, group)
		}
	}
	s.fronts = kept
	return len(kept) > 0
}

// learnLocked remembers what a verdict teaches: the prompt's text, who showed
// it, and how that program waits.
func (s *Session) learnLocked(v detect.Verdict) {
	s.lastReason, s.answered = v.Reason, false
	s.leavePromptLocked(v)
	if w := s.view.now; v.Layer == detect.LayerKernel && s.view.fresh && w.Waiting {
		s.waiters = remember(s.waiters, w.Foreground.PGID)
	}
	rests := v.Reason == detect.Settled || v.Reason == detect.AwaitingInput
	if rests && s.view.fresh && s.fullScreenLocked() {
		s.homes.rested(s.view.before, s.view.now, time.Now())
	}
	if v.Reason != detect.Prompt {
		return
	}
	s.marks.due = 0
	s.leaveUpperLocked()
	tty := s.lookTTY()
	text := s.atCursorLocked()
	if start := s.promptStartLocked(); start >= 0 {
		text = text[len(between(text, 0, start)):]
	}
	s.prompts.Learn(text, s.drawnPromptLocked())
	s.front = tty.front()
	s.fronts = remember(s.fronts, tty.group)
	if w := s.view.now; s.view.fresh && w.Waiting && !s.knownWait(w.Fingerprint) {
		if len(s.waits) == maxFingerprints {
			s.waits = s.waits[1:]
		}
		s.waits = append(s.waits, w.Fingerprint)
	}
}

// confirmQuiet is how long the terminal must have been quiet for what is typed to
// confirm that a prompt stands at the cursor.
const confirmQuiet = 100 * time.Millisecond

// confirmLocked learns the prompt at the cursor as someone types there, whatever
// has ended the wait: a program inside ssh that shows its first prompt, where no
// layer sees into it.
func (s *Session) confirmLocked(now time.Time) {
	busy := s.view.now.Known && !s.view.now.Waiting
	if busy || s.fullScreenLocked() || now.Sub(s.lastOutput) < confirmQuiet {
		return
	}
	// Text before a known prompt is output whose line has no end.
	if text := s.atCursorLocked(); detect.LooksLikePrompt(text) && s.promptStartLocked() <= 0 {
		s.prompts.Learn(text, s.drawnPromptLocked())
	}
}

// drawnPromptLocked reports whether the last line that the child wrote has
// control sequences in it, as line editors draw their prompts. What a line editor
// writes as it hands over a line does not count: the end of bracketed paste.
func (s *Session) drawnPromptLocked() bool {
	p, _ := s.raw.since(max(s.raw.first(), s.raw.total-maxDrawn))
	p = p[bytes.LastIndexByte(p, '\n')+1:]
	if i := bytes.LastIndex(p, []byte(pasteOff)); i >= 0 {
		p = p[i+len(pasteOff):]
	}
	return bytes.IndexByte(p, '\x1b') >= 0
}

// pasteOff switches bracketed paste mode off (xterm, DECRST 2004).
const pasteOff = "\x1b[?2004l"

// maxDrawn is how many of the latest bytes are searched for control sequences.
const maxDrawn = 1 << 10

// remember appends a process group to those remembered, unless it is there or
// none; the oldest goes when there are too many.
func remember(groups []int, group int) []int {
	if group <= 0 || slices.Contains(groups, group) {
		return groups
	}
	if len(groups) == maxFronts {
		groups = groups[1:]
	}
	return append(groups, group)
}
