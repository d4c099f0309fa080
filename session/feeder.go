package session

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
	"github.com/glasstty/glasstty/session/ready"
)

// A feeder queues the bytes of one call, burst by burst, as a person would type them. If the bursts are
// sent one by one (Encoded.OneByOne), the feeder queues each burst only after the program has reacted to
// the previous burst.
type feeder struct {
	s     *Session
	ctx   context.Context
	call  *queue.Call
	sent  int  // bytes queued
	ahead bool // the program did not read within a limit: the rest is typed without further waits
	busy  bool // the program was still busy at the end of a limit: further limits are shorter
}

// typeAll queues all bytes of the call. If the program ends after the first of several bursts that
// are sent one by one, typeAll records how many bytes were not typed, and returns no error.
func (f *feeder) typeAll() error {
	if len(f.call.Data) == 0 { // only the end of a pipe's input
		return f.queueItem(queue.Item{Call: f.call, First: true, Last: true})
	}
	for i, b := range f.call.Bursts {
		if i > 0 {
			if err := f.awaitBetween(f.call.Bursts[i-1].Kind, b.Kind); err != nil {
				return err
			}
		}
		if err := f.typeBurst(b); err != nil {
			if f.call.OneByOne && i > 0 && errors.Is(err, ErrExited) {
				f.s.mu.Lock()
				defer f.s.mu.Unlock()
				f.call.NotTyped, f.call.Input.Finished = len(f.call.Data)-f.sent, true
				return nil
			}
			return err
		}
	}
	return f.queueUpTo(len(f.call.Data))
}

// awaitBetween waits, between a burst of kind a and one of kind b, until the program has reacted. It does
// not wait if the rest is typed ahead, or if the bursts need not be sent one by one.
func (f *feeder) awaitBetween(a, b input.Kind) error {
	if f.ahead || !f.call.OneByOne && !a.Isolated() && !b.Isolated() {
		return nil
	}
	pastes := f.call.OneByOne && locked(f.s, func() bool { return f.s.state.Term.Modes().BracketedPaste })
	r := ready.BetweenBursts(a, b, pastes, f.call.OutputBefore)
	return f.await(&r)
}

// await waits for a reaction. If the program does not read its input, await sets f.ahead.
func (f *feeder) await(r *ready.Reaction) error {
	if f.busy {
		r.Shorten()
	}
	began := time.Now()
	read, err := f.s.awaitReaction(f.ctx, r)
	if err != nil {
		return cutOff(f.ctx, f.sent, len(f.call.Data))
	}
	if !read {
		f.ahead = true
		f.s.mu.Lock()
		f.call.TypedAhead, f.call.UnreadFor = len(f.call.Data)-f.sent, min(time.Since(began), ready.UnreadLimit)
		f.s.mu.Unlock()
	}
	f.busy = f.busy || read && time.Since(began) >= r.Limit
	return nil
}

// typeBurst queues a burst. It waits until the program would read the burst as it was typed.
func (f *feeder) typeBurst(b input.Burst) error {
	if !f.ahead && b.End > f.sent {
		if err := f.await(&ready.Reaction{ForInput: f.call.Data[f.sent:b.End], Limit: lineLimit}); err != nil {
			return err
		}
	}
	if b.Kind == input.SignalBurst {
		r := ready.Reaction{ForInterrupt: true}
		if _, err := f.s.awaitReaction(f.ctx, &r); err != nil {
			return cutOff(f.ctx, f.sent, len(f.call.Data))
		}
	}
	f.beginBurst(b)
	secretOrPrompt := func() bool { return f.call.Input.Secret || f.s.state.AtPrompt() }
	if b.Kind == input.TextBurst && f.call.OneByOne && !f.ahead && !locked(f.s, secretOrPrompt) {
		if err := f.typeByKey(b.End); err != nil {
			return err
		}
	}
	return f.queueUpTo(b.End)
}

// beginBurst records the amount of output before a burst. If the bursts are sent one by one, it encodes a
// key for the present modes, which may have changed; it keeps the old encoding if the sizes differ.
func (f *feeder) beginBurst(b input.Burst) {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	f.call.OutputBefore = f.s.state.Raw.Total
	if !f.call.OneByOne || b.Key == (emulator.Key{}) {
		return
	}
	if press := emulator.EncodeKey(b.Key, f.s.state.Term.Modes()); len(press) == b.End-f.sent {
		copy(f.call.Data[f.sent:], press)
	}
}

const (
	// Until an input field shows them, the first characters of a text are typed one by one: at most
	// maxByKey characters, and for at most byKeyLimit.
	maxByKey   = 32
	byKeyLimit = 400 * time.Millisecond
	// If the program polls for keys, the last maxPolledKeys bytes of a text are typed one by one even
	// in a field or after byKeyLimit: btop's field takes one key at a time, and drops keys that arrive
	// together.
	maxPolledKeys = 8
)

// typeByKey queues the first characters of a text up to end one by one, because they may be keys of a
// menu (jj, gg, :q). It stops when the screen shows two of them side by side: they are in an input field,
// so the rest may be sent at once.
func (f *feeder) typeByKey(end int) error {
	text := string(f.call.Data[f.sent:min(end, f.sent+maxByKey*utf8.UTFMax)])
	before := locked(f.s, f.screenText)
	began := time.Now()
	for n, at := 0, 0; n < maxByKey && !f.ahead; n++ {
		r, size := utf8.DecodeRuneInString(text[at:])
		if at += size; at == len(text) || input.IsControl(r) {
			return nil
		}
		if err := f.queueUpTo(f.sent + size); err != nil {
			return err
		}
		handled := ready.UntilHandled(f.call.OutputBefore)
		if err := f.await(&handled); err != nil {
			return err
		}
		polled := end-f.sent <= maxPolledKeys && locked(f.s, f.s.ready.Polls) // the program may take keys that arrive together for one key
		if n > 0 && !polled && ready.InField(text[:at], before, locked(f.s, f.screenText)) {
			return nil
		}
		f.beginBurst(input.Burst{})
		if !polled && time.Since(began) >= byKeyLimit {
			return nil
		}
	}
	return nil
}

// queueUpTo queues the bytes up to end in pieces.
func (f *feeder) queueUpTo(end int) error {
	call := f.call
	for f.sent < end {
		next := min(f.sent+queue.PieceSize, end)
		if err := f.s.queue.Rate.WaitN(f.ctx, next-f.sent); err != nil {
			return cutOff(f.ctx, f.sent, len(call.Data))
		}
		it := queue.Item{Data: call.Data[f.sent:next], Call: call, Offset: int64(f.sent), First: f.sent == 0, Last: next == len(call.Data)}
		if err := f.queueItem(it); err != nil {
			f.endPaste()
			return err
		}
		f.sent = next
	}
	return nil
}

func (f *feeder) screenText() string { return f.s.state.Snapshot(0).Text() }

// endPaste ends a bracketed paste if only its first bytes were queued. A program that waits for the end of
// a paste would take all later input as part of the paste, so the end is queued even if the queue is full.
func (f *feeder) endPaste() {
	s, call, sent := f.s, f.call, f.sent
	if sent == 0 || sent >= call.Paste {
		return
	}
	s.queue.Add(queue.Item{Data: []byte(queue.PasteEnd), Call: call, Offset: int64(sent), Last: true})
}

// queueItem queues one piece. While the queue is full, it waits as long as the child reads.
func (f *feeder) queueItem(it queue.Item) error {
	s := f.s
	silent := func() bool { return s.state.Raw.Total == 0 && !s.ready.OutputStopped() }
	stall := time.NewTimer(stallLimit)
	defer stall.Stop()
	for {
		ok, failed, changed := s.queue.Put(it)
		switch {
		case ok:
			return nil
		case failed:
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.end.status == StatusRunning && s.opt.Pipe {
				return fmt.Errorf("%w: session %s (%s)", ErrInputClosed, s.id, s.opt.Command)
			}
			return s.errExitedLocked("typed to")
		}
		select {
		case <-changed:
			// The queue changes when the child reads.
			stall.Reset(stallLimit)
		case <-stall.C:
			if left := startLimit - time.Since(s.created); left > 0 && locked(s, silent) {
				stall.Reset(left)
				continue
			}
			return fmt.Errorf("%w: %d of %d bytes were accepted and wait to be read", ErrInputFull, f.sent, len(f.call.Data))
		case <-f.ctx.Done():
			return cutOff(f.ctx, f.sent, len(f.call.Data))
		}
	}
}

// cutOff returns the error for a call that stopped typing because ctx had ended, or would end
// before the rate limit allowed more input.
func cutOff(ctx context.Context, sent, all int) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, ErrPersonControls):
		return fmt.Errorf("%w: %d of %d bytes were accepted; those that had not reached the program by then were not typed", cause, sent, all)
	case cause == ErrSlow || cause == nil:
		return fmt.Errorf("%w: %d of %d bytes were accepted within the time of the call; the rest was not typed", ErrSlow, sent, all)
	}
	return ctx.Err()
}

// showsContinuation reports whether a line editor that got a paste and Enter shows a continuation prompt
// instead of submitting the paste. In Python's line editors, for example, only an empty line ends a block.
func (f *feeder) showsContinuation() bool {
	s := f.s
	s.mu.Lock()
	r := ready.UntilFinished(f.call.OutputBefore, ready.BusyLimit)
	r.Submit = true
	inline := !s.state.Term.FullScreen()
	s.mu.Unlock()
	if !inline {
		return false
	}
	if _, err := s.awaitReaction(f.ctx, &r); err != nil {
		return false // the call ends with an error
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.status == StatusRunning && !s.state.EditorReturned() && !s.state.Term.FullScreen() && s.state.Prompts.Continues(s.state.AtCursor())
}

// handOverLimit is the maximum time that a call waits for the child's owner to receive the call's input.
// Input in the queue would be lost if this process ended; the owner continues to run.
const handOverLimit = 250 * time.Millisecond

// awaitHandedOver waits until the child's owner has all of a call's input, at most for
// handOverLimit.
func (f *feeder) awaitHandedOver(ctx context.Context) {
	timedCtx, cancel := context.WithTimeout(ctx, handOverLimit)
	defer cancel()
	f.s.until(timedCtx, func() (bool, time.Duration) { return f.call.Input.Finished, 0 })
}
