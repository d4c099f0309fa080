package session

import (
	"context"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/detect"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
)

// A submission is one call's input on its way through the danger check into the queue.
type submission struct {
	s       *Session
	in      entry         // the part that has not been typed
	limit   time.Duration // how long the child may take to read each part
	total   int           // bytes accepted so far, in all parts
	settled bool          // the program has handled the previous part of the input, or busy is set
	busy    bool          // the program did not react within lineLimit to what was typed last
}

// typeChecked types all of the input if the input is harmless. If not, it returns a HeldError, and has
// typed only the parts that must be typed before the rest can be judged: keys that recall or complete a
// line, or harmless lines that may start or end a program.
func (u *submission) typeChecked(ctx context.Context) (*queue.Call, error) {
	s, name := u.s, callerOf(ctx).call
	if call := u.typedBefore(name); call != nil {
		u.total = call.Input.Size
		return call, nil
	}
	if err := u.checkUnfinished(); err != nil {
		return nil, err
	}
	if err := u.checkKeys(); err != nil {
		return nil, err
	}
	// The last verdict reported a password prompt, and something was typed after it.
	answering := func() bool { return s.state.Reason == detect.Password && s.state.Verdict.Inputs != s.state.Inputs }
	if u.in.held != nil || u.needsCheck() && locked(s, answering) {
		// Wait first: an earlier line may change the effect of the held input, or the program that
		// asked for a password may have read the password and exited.
		if err := u.settleLine(ctx); err != nil {
			return nil, err
		}
	}
	if h := u.in.held; h != nil {
		l := s.guardView()
		l.Busy = u.busy
		if err := h.CheckUnchanged(s.m.opt.Danger, &l.View, s.m.Hide(h.ConfirmText())); err != nil {
			return nil, err
		}
	}
	previousLine := locked(s, s.guard.currentLine)
	if !u.isCommand() {
		if u.needsCheck() { // the lines after the answer to a password prompt
			l := s.guardView()
			if err := guard.CheckAfter(s.m.opt.Danger, &l.View, guard.KeystrokesOf(u.in.Input, l.Modes)); err != nil {
				return nil, err
			}
		}
		u.followLine()
		return u.typePart(ctx, u.in, previousLine)
	}
	timedCtx, cancel := context.WithTimeoutCause(ctx, u.limit, ErrSlow)
	defer cancel()
	for part := 1; ; part++ {
		previousLine = locked(s, s.guard.currentLine)
		first, rest, err := u.check()
		if err != nil {
			return nil, err
		}
		if rest == nil {
			call, err := u.typePart(ctx, u.in, previousLine)
			if err == nil {
				u.recordDrawnLine(timedCtx)
			}
			return call, err
		}
		if !first.Empty() {
			partCtx := ctx
			if name != "" {
				partCtx = WithCall(ctx, fmt.Sprintf("%s.%d", name, part))
			}
			if _, err := u.typePart(partCtx, first, previousLine); err != nil {
				return nil, err
			}
		}
		u.settled = true
		if u.settleLine(timedCtx) != nil || timedCtx.Err() != nil {
			return nil, cutOff(timedCtx, u.total, u.total+u.in.Size())
		}
		u.in.Input = *rest
	}
}

// checkKeys returns an error if a key cannot be encoded, before any part of the input is typed.
func (u *submission) checkKeys() error {
	if len(u.in.Keys) == 0 {
		return nil
	}
	tty := u.s.ready.LookTTY()
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	_, err := u.encodeLocked(u.in, tty)
	return err
}

// typedBefore returns the input that a call of this name has already typed, or nil.
func (u *submission) typedBefore(name string) *queue.Call {
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	if in := u.s.state.CallInput(name); in != nil {
		return &queue.Call{Input: *in, Encoded: input.Encoded{HasKeys: true}} // whether it had keys is not known
	}
	return nil
}

// needsCheck reports whether the danger check applies: to the input of tool calls, except
// known secrets.
func (u *submission) needsCheck() bool {
	return u.s.m.opt.Danger != nil && !u.in.by.Person && !u.in.secret
}

// isCommand reports whether the danger check judges this input as command lines. It is false for the
// answer to a password prompt, and after the end of the program.
func (u *submission) isCommand() bool {
	s := u.s
	if !u.needsCheck() {
		return false
	}
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.status == StatusRunning && !s.ready.AsksPassword(tty)
}

// followLine records what an input that is not judged does to the line being edited.
func (u *submission) followLine() {
	s := u.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard.Editing.Begin(s.state, s.ready.OutputStopped())
	s.guard.followKeys(u.in.by, guard.KeystrokesOf(u.in.Input, s.inputModesLocked(tty)), u.in.secret || s.ready.AsksPassword(tty))
	s.keepLocked()
}

// lineLimit is how long a call waits for the program to show its line, before the line is read from the
// screen. The time is long because a busy machine may run other programs first.
const lineLimit = 4 * time.Second

// settleLine waits until the program has reacted to the last input, and records that the line can be
// read from the screen. It sets u.busy if the program has not reacted within lineLimit.
func (u *submission) settleLine(ctx context.Context) error {
	s := u.s
	s.mu.Lock()
	r := ready.UntilFinished(s.state.Last.From, lineLimit)
	s.mu.Unlock()
	if _, err := s.awaitReaction(ctx, &r); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard.Editing.Readable, u.busy = true, !s.ready.Reacted(&r, time.Now())
	return nil
}

// recordDrawnLine records how the shell displays the unfinished line at its prompt.
func (u *submission) recordDrawnLine(ctx context.Context) {
	s := u.s
	begun := locked(s, func() bool { return s.guard.Editing.Open && s.state.Marks.Prompted && !s.state.Term.FullScreen() })
	if !begun || u.settleLine(ctx) != nil || u.busy {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard.Editing.RecordDrawn(s.state)
}

// typePart types part of the input. The effect of the part on the edited line has already been recorded. If
// not all of the part is typed, typePart restores the line.
func (u *submission) typePart(ctx context.Context, in entry, previousLine queue.Line) (*queue.Call, error) {
	s := u.s
	recorded := locked(s, func() uint64 { return s.guard.Editing.Version })
	in.before = &previousLine
	call, n, err := u.sendLines(ctx, in)
	if u.total += n; err == nil {
		return call, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard.Editing.Version == recorded { // otherwise cutTypingLocked has restored the line
		s.guard.restoreLine(previousLine, n > 0)
		s.keepLocked()
	}
	return call, err
}

// maxJudged is the maximum number of times that an input is judged. An input is judged again if the
// session has changed while the input was being judged.
const maxJudged = 3

// If a judgement takes longer than slowJudgement, another program may have come to the foreground, so
// check looks at the foreground program again.
const slowJudgement = 10 * time.Millisecond

// check judges the lines that the input would submit. If the input must be cut (see
// guard.Decision), check returns the keys before the cut as first and the others as rest; otherwise rest
// is nil. It judges a copy of the session's facts without the lock, and judges again if the session has
// changed in the meantime.
func (u *submission) check() (first entry, rest *Input, err error) {
	s, in := u.s, u.in
	for range maxJudged {
		l, began := s.guardView(), time.Now()
		l.Settled, l.Busy = u.settled, u.busy
		l.Modes.Pasted = locked(s, func() bool { return u.brackets(in, l.Modes.TTY) })
		d := guard.Check(s.m.opt.Danger, l.View, guard.KeystrokesOf(in.Input, l.Modes), in.held != nil)
		if d.Undecided {
			return entry{}, &in.Input, nil // the screen may still change
		}
		if time.Since(began) > slowJudgement && !s.guardView().Program.ReadsLike(l.Program) {
			continue
		}
		switch done, err := u.applyDecision(&l, &d); {
		case err != nil:
			return entry{}, nil, err
		case !done:
		case d.Cut != nil:
			head, tail := d.Cut.Split(in.Input)
			in.Input = head
			return in, &tail, nil
		default:
			return entry{}, nil, nil
		}
	}
	return entry{}, nil, fmt.Errorf("the session changed %d times while the input was being checked; the rest of the input was not typed: try again when the screen is stable", maxJudged)
}

// applyDecision records the effect of a harmless input on the line, or holds a dangerous input.
// It reports false if the session has changed since the decision.
func (u *submission) applyDecision(l *guardView, d *guard.Decision) (done bool, err error) {
	s := u.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.guard.Editing.Version != l.Version || s.keyboard.Changes() != l.keyboardChanges {
		return false, nil
	}
	if d.Held() {
		h := guard.NewHeld(u.in.Input, &l.View, d, time.Now())
		s.guard.Hold(h)
		s.heldChangedLocked()
		held := h.Error(s.id)
		held.Typed, held.Stopped = u.total > 0, s.ready.OutputStopped()
		held.Hide(s.m.Hide)
		return true, held
	}
	s.guard.applyDecision(u.in.by, d)
	s.keepLocked()
	return true, nil
}

// checkUnfinished returns an error if the author may not type now. It also returns an error if the author
// is a client that would add to another author's line without having seen that line. That error shows the
// line, so the client may try again.
func (u *submission) checkUnfinished() error {
	s, in := u.s, u.in
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkTypingLocked(in, tty); err != nil {
		return err
	}
	if mouse := len(in.Mouse) > 0 && in.Text == "" && len(in.Keys) == 0; mouse || !s.guard.Draft.UnseenBy(in.by) {
		return nil
	}
	line := s.guard.Editing.Unfinished(s.state, s.guard.Draft.Hidden)
	if line == "" && !s.guard.Draft.Hidden {
		return nil
	}
	if l := s.guard.Editing.Clone(); l.Clears(guard.KeystrokesOf(in.Input, s.inputModesLocked(tty))) {
		return nil
	}
	s.guard.Draft.MarkSeen(in.by)
	s.keepLocked()
	return s.guard.Draft.Error(guard.Clip(s.m.Hide(line)))
}
