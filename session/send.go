package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/kernel"
	"github.com/glasstty/glasstty/session/limit"
	"github.com/glasstty/glasstty/session/queue"
)

// send types in; the child has u.limit to read it. The caller has the queue's turn.
func (u *submission) send(ctx context.Context, in entry) (*queue.Call, int, error) {
	s := u.s
	call, err := u.encode(in)
	if err != nil || call == nil {
		return nil, 0, err
	}
	call.Call, call.Number = callOf(ctx), cmp.Or(callOf(ctx), rand.Text())
	if done := u.done(call.Call); done != nil {
		return done, len(call.Data), nil
	}
	if err := u.audit(ctx, in, call); err != nil {
		return nil, 0, err
	}
	soon, cancel := context.WithTimeoutCause(ctx, u.limit, ErrSlow)
	defer cancel()
	soon, done, err := u.untilStepIn(soon, call)
	if err != nil {
		return call, 0, err
	}
	defer done()
	f := feeder{s: s, ctx: soon, call: call}
	err = f.all()
	if err == nil && s.m.opt.Outlive {
		f.awaitHandedOver(ctx)
	}
	if err == nil && call.Paste > 0 && call.Submitted && call.Tool() && f.asksOn() {
		if callOf(ctx) != "" {
			ctx = WithCall(ctx, call.Number+".end")
		}
		_, more, err := u.send(ctx, entry{Input: Input{Enter: true}}) // once more, as a person would
		return call, f.sent + more, err
	}
	return call, f.sent, err
}

// maxEchoText bounds the typed text, in bytes, whose echo is searched for.
const maxEchoText = 64 << 10

// encode returns in encoded for the present modes, nil if it is empty.
func (u *submission) encode(in entry) (*queue.Call, error) {
	s := u.s
	tty := s.ready.LookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end.status != StatusRunning {
		return nil, s.errExitedLocked("typed to")
	}
	if err := s.mayTypeLocked(in, tty); err != nil {
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
	call := &queue.Call{By: in.by, Before: in.before, Encoded: *e}
	call.Edited, call.Submitted, call.Secret = e.Edits, e.Submits, in.secret || s.ready.Secret(tty)
	if call.Echoes = !s.opt.Pipe && !call.Secret && len(e.Text) <= maxEchoText; !call.Echoes {
		call.Text = ""
	}
	return call, nil
}

// encodeLocked returns in encoded. The bursts of a tool call wait for each other if the
// program reads in raw mode and is not a line editor. In line mode they need not, because
// the kernel gives the program whole lines. A person's keys come one by one anyway. If the
// program has asked for bracketed paste, a tool call's text is pasted if the call says so
// or the text has several lines; a person's terminal has already decided that.
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
	apart := tool && tty.Known && !tty.Canonical && !s.state.LineEditor() && !s.ready.RelaysLines()
	modes := s.inputModesLocked(tty).Modes
	if tool {
		if err := in.CheckKeys(modes); err != nil {
			return nil, fmt.Errorf("session %s (%s): %w", s.id, s.opt.Command, err)
		}
	}
	brackets := modes.BracketedPaste && (in.Paste || !in.NoPaste && tool && input.SeveralLines(in.Text) && !s.ready.ReadsLines(tty))
	e, err := input.Encode(in.Input, modes, apart, brackets)
	if err != nil {
		return nil, fmt.Errorf("session %s (%s): %w", s.id, s.opt.Command, err)
	}
	return e, nil
}

// inTime returns an error if the rate limit does not allow all of the input within the
// call's time. Nothing is typed then.
func (u *submission) inTime(ctx context.Context) error {
	s, n, now := u.s, u.in.Size(), time.Now()
	late := float64(n) - s.queue.Rate.TokensAt(now)
	takes := time.Duration(late / float64(s.queue.Rate.Limit()) * float64(time.Second))
	end, ok := ctx.Deadline()
	if !ok || takes <= 0 || takes < end.Sub(now) {
		return nil
	}
	return fmt.Errorf("%w: %d bytes take %s s, and this call has %s s for it; nothing was typed (%s)",
		ErrRate, n, limit.Seconds(takes.Round(100*time.Millisecond)), limit.Seconds(end.Sub(now).Round(100*time.Millisecond)),
		limit.Raise(limit.InputRate, fmt.Sprint(s.m.opt.Limits.InputRate>>10)))
}

// audit records the input before it is typed. If that fails, nothing is typed.
func (u *submission) audit(ctx context.Context, in entry, call *queue.Call) error {
	s := u.s
	if s.m.opt.Audit == nil || in.by.Person && in.OnlyMoves() {
		return nil
	}
	secret := call.Secret || locked(s, s.ready.AskedInside)
	r := audit.Record{Event: auditInput, Session: s.id}
	r.Typed(string(call.Data), secret)
	if in.confirmed {
		r.Verdict = "confirmed"
	}
	_, err := s.m.opt.Audit.Write(ctx, r)
	return err
}

// untilStepIn returns a context that ends, with the reason as its cause, if a person steps
// in while a tool call types. The caller has the queue's turn and calls done after typing.
// The error says that a person has control already.
func (u *submission) untilStepIn(ctx context.Context, call *queue.Call) (_ context.Context, done func(), err error) {
	s := u.s
	if !call.Tool() {
		return ctx, func() {}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keys.Refuses(call.By); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.keys.cut = cancel
	return ctx, func() {
		s.mu.Lock()
		s.keys.cut = nil
		s.mu.Unlock()
		cancel(nil)
	}, nil
}

// whyUnread adds ErrOutputStopped to the error about a child that does not read, if ctrl+s
// has stopped its output.
func (u *submission) whyUnread(err error) error {
	if !errors.Is(err, ErrSlow) && !errors.Is(err, ErrInputFull) {
		return err
	}
	if !locked(u.s, u.s.ready.Stopped) {
		return err
	}
	return fmt.Errorf("%w; %w", err, ErrOutputStopped)
}
