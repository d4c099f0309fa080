package session

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
)

// sendLines types the input in. If in must be split after Enter (see upToEnter), it is typed in several
// parts, and the child has u.limit to read each part. sendLines returns the call of the last part, and
// the number of bytes accepted. The caller has the queue's turn.
func (u *submission) sendLines(ctx context.Context, in entry) (call *queue.Call, total int, err error) {
	s, name, busy := u.s, callerOf(ctx).call, false
	if call := u.typedBefore(name); call != nil {
		return call, call.Input.Size, nil
	}
	for part := 1; ; part++ {
		partCtx := ctx // with the call's name for this part, if another part follows
		if name != "" {
			partCtx = WithCall(ctx, fmt.Sprintf("%s.line%d", name, part))
		}
		first, rest, err := u.upToEnter(partCtx, in)
		if err != nil {
			return call, total, err
		}
		if rest == nil {
			partCtx = ctx
		}
		from := locked(s, func() int64 { return s.state.Raw.Total })
		c, n, err := u.sendLine(partCtx, first)
		if total += n; part > 1 && errors.Is(err, ErrExited) {
			s.mu.Lock()
			call.NotTyped += in.Size()
			s.mu.Unlock()
			return call, total, nil
		}
		if call = c; err != nil || rest == nil {
			return call, total, err
		}
		f := feeder{s: s, ctx: ctx, call: call, sent: total, busy: busy}
		r := ready.UntilHandled(from)
		if err := f.await(&r); err != nil {
			return call, total, err
		}
		busy, in.Input = f.busy, *rest
	}
}

// upToEnter waits until in can be typed. It returns in up to its first Enter, and the rest. If all of in
// may be typed at once, rest is nil. At a shell's prompt, Enter may start a program that reads in line
// mode. For that program, text that was typed in the prompt's raw mode has no line end, and a bracketed
// paste may mean nothing. ctx names the call of the first part.
func (u *submission) upToEnter(ctx context.Context, in entry) (first entry, rest *Input, err error) {
	s := u.s
	if in.by.Person || s.opt.Pipe {
		return in, nil, nil
	}
	if _, err := s.awaitReaction(ctx, &ready.Reaction{ForInput: []byte(in.Text), Limit: lineLimit}); err != nil {
		return in, nil, err
	}
	head, tail := in.UpToEnter()
	if tail == nil {
		return in, nil, nil
	}
	first = in
	first.Input = head
	if u.typedBefore(callerOf(ctx).call) != nil {
		return first, tail, nil
	}
	tty := s.ready.LookTTY()
	s.mu.Lock()
	where := s.ready.Where(tty, s.opt.Dir)
	editing := tty.Known && !tty.Canonical && !s.state.Term.FullScreen() && !s.ready.RelaysLines()
	split := editing && !u.brackets(in, tty)
	s.mu.Unlock()
	if !split {
		return in, nil, nil
	}
	if _, program := where(); !(guard.Foreground{Name: program, Main: s.opt.Command}).IsShell() {
		return in, nil, nil
	}
	return first, tail, nil
}

// brackets reports whether in is typed as a bracketed paste. It is false unless the program has asked for
// such pastes. Otherwise it is true if Paste is set, and for a tool call's text of several lines, unless
// NoPaste is set or the program reads single lines. A person's terminal has set Paste if necessary.
func (u *submission) brackets(in entry, tty kernel.TTY) bool {
	s := u.s
	several := !in.NoPaste && !in.by.Person && input.SeveralLines(in.Text) && !s.ready.ReadsLines(tty)
	return s.inputModesLocked(tty).BracketedPaste && (in.Paste || several)
}

// sendLine types one part of an input. It returns the part's call and the number of bytes accepted.
func (u *submission) sendLine(ctx context.Context, in entry) (*queue.Call, int, error) {
	s := u.s
	call, err := u.encode(in)
	if err != nil || call == nil {
		return nil, 0, err
	}
	call.Input.Call, call.ID = callerOf(ctx).call, cmp.Or(callerOf(ctx).call, rand.Text())
	if repeated := u.typedBefore(call.Input.Call); repeated != nil {
		return repeated, len(call.Data), nil
	}
	if err := u.audit(ctx, in, call); err != nil {
		return nil, 0, err
	}
	timedCtx, cancel := context.WithTimeoutCause(ctx, u.limit, ErrSlow)
	defer cancel()
	timedCtx, done, err := u.untilStepIn(timedCtx, call)
	if err != nil {
		return call, 0, err
	}
	defer done()
	f := feeder{s: s, ctx: timedCtx, call: call}
	err = f.typeAll()
	if err == nil && s.m.opt.Outlive {
		f.awaitHandedOver(ctx)
	}
	if err == nil && call.Paste > 0 && call.Submits && call.ByTool() && f.showsContinuation() {
		if callerOf(ctx).call != "" {
			ctx = WithCall(ctx, call.ID+".end")
		}
		_, more, err := u.sendLine(ctx, entry{Input: Input{Enter: true}}) // a second Enter, as a person would type
		return call, f.sent + more, err
	}
	return call, f.sent, err
}

// maxEchoText is the maximum length, in bytes, of a typed text whose echo is searched for.
const maxEchoText = 64 << 10

// encode returns the call for in, encoded for the present modes, or nil if there is nothing to send.
func (u *submission) encode(in entry) (*queue.Call, error) {
	s := u.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.status != StatusRunning {
		return nil, s.errExitedLocked("typed to")
	}
	if err := s.checkTypingLocked(in, tty); err != nil {
		return nil, err
	}
	e, err := u.encodeLocked(in, tty)
	if err != nil {
		return nil, err
	}
	if len(e.Data) == 0 && !e.EOF {
		return nil, nil
	}
	if len(e.Data) > maxInput {
		return nil, fmt.Errorf("%w: the input is %d bytes; one call types at most %d", ErrArgument, len(e.Data), maxInput)
	}
	if tty.Known && tty.Canonical && !s.opt.Pipe {
		if err := input.CheckLines(e.Data); err != nil {
			return nil, err
		}
	}
	call := &queue.Call{By: in.by, Line: in.before, Encoded: *e}
	call.Input.InputNote = eventlog.InputNote{
		By: in.by.PersonName(), Size: len(e.Data), Submitted: e.Submits, Edited: e.Edits, Pasted: e.Paste > 0, OneByOne: e.OneByOne,
		Lines: bytes.Count(e.Data, []byte{'\r'}), NoEcho: s.opt.Pipe || len(e.Text) > maxEchoText,
	}
	if in.secret || s.ready.InputIsSecret(tty) {
		call.Hide()
	}
	return call, nil
}

// encodeLocked returns in encoded. The bursts of a tool call are sent one by one if the program reads in raw
// mode and is not a line editor. In line mode this is not necessary, because the kernel gives the program
// whole lines. A person's bursts are not held back either: a person types the keys one by one anyway.
func (u *submission) encodeLocked(in entry, tty kernel.TTY) (*input.Encoded, error) {
	s := u.s
	if s.opt.Pipe {
		e, err := input.EncodePipe(in.Input)
		if err != nil {
			return nil, fmt.Errorf("%w: session %s %w; nothing was typed", ErrPipe, s.id, err)
		}
		return e, nil
	}
	tool := !in.by.Person
	oneByOne := tool && tty.Known && !tty.Canonical && !s.state.LineEditor() && !s.ready.RelaysLines()
	modes := s.inputModesLocked(tty).Modes
	if tool {
		if err := in.CheckKeys(modes); err != nil {
			return nil, fmt.Errorf("session %s (%s): %w", s.id, s.opt.Command, err)
		}
	}
	e, err := input.Encode(in.Input, modes, oneByOne, u.brackets(in, tty))
	if err != nil {
		return nil, fmt.Errorf("session %s (%s): %w", s.id, s.opt.Command, err)
	}
	return e, nil
}

// checkRate returns an error if the rate limit does not allow all of the input within the call's time. It
// is called before anything is typed.
func (u *submission) checkRate(ctx context.Context) error {
	s, n, now := u.s, u.in.Size(), time.Now()
	late := float64(n) - s.queue.Rate.TokensAt(now)
	takes := time.Duration(late / float64(s.queue.Rate.Limit()) * float64(time.Second))
	end, ok := ctx.Deadline()
	if !ok || takes <= 0 || takes < end.Sub(now) {
		return nil
	}
	return fmt.Errorf("%w: %d bytes take %s s, and this call has %s s for it; nothing was typed (%s)",
		ErrRate, n, limit.Seconds(takes.Round(100*time.Millisecond)), limit.Seconds(end.Sub(now).Round(100*time.Millisecond)),
		limit.HowToRaise(limit.InputRate, fmt.Sprint(s.m.opt.Limits.InputRate>>10)))
}

// audit records the input before it is typed, but not a person's mouse movements. If it fails, nothing is typed.
func (u *submission) audit(ctx context.Context, in entry, call *queue.Call) error {
	s := u.s
	if s.m.opt.Audit == nil || in.by.Person && in.OnlyMoves() {
		return nil
	}
	secret := call.Input.Secret || locked(s, s.ready.NestedPasswordPrompt)
	r := audit.Record{Event: eventInput, Session: s.id}
	r.SetInput(string(call.Data), secret)
	if in.held != nil {
		r.Verdict = "confirmed"
	}
	_, err := s.m.opt.Audit.Write(ctx, r)
	return err
}

// untilStepIn returns a context for the typing of a tool call. If a person steps in, the context ends,
// with the reason as its cause. The caller has the queue's turn, and calls done after typing. untilStepIn
// returns an error if a person already has control. For a person's input, it returns ctx.
func (u *submission) untilStepIn(ctx context.Context, call *queue.Call) (_ context.Context, done func(), err error) {
	s := u.s
	if !call.ByTool() {
		return ctx, func() {}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keyboard.CheckTyping(call.By); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.keyboard.cut = cancel
	return ctx, func() {
		s.mu.Lock()
		s.keyboard.cut = nil
		s.mu.Unlock()
		cancel(nil)
	}, nil
}

// explainUnread adds ErrOutputStopped to the error about a child that does not read, if ctrl+s
// has stopped its output.
func (u *submission) explainUnread(err error) error {
	if !errors.Is(err, ErrSlow) && !errors.Is(err, ErrInputFull) {
		return err
	}
	if !locked(u.s, u.s.ready.OutputStopped) {
		return err
	}
	return fmt.Errorf("%w; %w", err, ErrOutputStopped)
}
