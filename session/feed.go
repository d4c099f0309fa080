package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/glasstty/glasstty/session/kernel"
)

// feed queues the call's bytes in pieces and returns how many were accepted.
func (s *Session) feed(ctx context.Context, call *typing) (int, error) {
	if len(call.data) == 0 { // the end of a pipe's input alone
		return 0, s.feedPiece(ctx, item{call: call, first: true, finish: true}, 0)
	}
	sent := 0
	for sent < len(call.data) {
		end := min(sent+pieceSize, len(call.data))
		if !s.awaitRate(ctx, end-sent) {
			return sent, cutOff(ctx, sent, len(call.data))
		}
		it := item{data: call.data[sent:end], call: call, offset: int64(sent), first: sent == 0, finish: end == len(call.data)}
		if err := s.feedPiece(ctx, it, sent); err != nil {
			s.endPaste(call, sent)
			return sent, err
		}
		sent = end
	}
	return sent, nil
}

// pasteEnd ends a bracketed paste (xterm ctlseqs, "Bracketed Paste Mode").
const pasteEnd = "\x1b[201~"

// endPaste ends a bracketed paste of which only the first bytes were taken: a
// program that waits for its end would take all that is typed later for a part of
// it. So little is queued whatever waits there.
func (s *Session) endPaste(call *typing, sent int) {
	if sent == 0 || sent >= call.paste {
		return
	}
	if s.queue.add(item{data: []byte(pasteEnd), call: call, offset: int64(sent), finish: true}) {
		s.mu.Lock()
		s.unsent++
		s.mu.Unlock()
	}
}

// feedPiece queues one piece, waiting for room while the child still reads.
func (s *Session) feedPiece(ctx context.Context, it item, sent int) error {
	stall := time.NewTimer(stallLimit)
	defer stall.Stop()
	for {
		ok, failed, changed := s.queue.put(it)
		switch {
		case ok:
			s.mu.Lock()
			s.unsent++ // the writer may have been there first: never mind
			s.mu.Unlock()
			return nil
		case failed:
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.status == StatusRunning && s.opt.Pipe {
				return fmt.Errorf("%w: session %s (%s)", ErrInputClosed, s.id, s.opt.Command)
			}
			return s.errExitedLocked("typed to")
		}
		select {
		case <-changed:
			// Room is made only by the child reading: the stall is over.
			stall.Reset(stallLimit)
		case <-stall.C:
			return fmt.Errorf("%w: %d of %d bytes were accepted and wait for it", ErrInputFull, sent, len(it.call.data))
		case <-ctx.Done():
			return cutOff(ctx, sent, len(it.call.data))
		}
	}
}

// cutOff returns the error for a call that has ended while it typed.
func cutOff(ctx context.Context, sent, all int) error {
	if held := context.Cause(ctx); errors.Is(held, ErrHeld) {
		return fmt.Errorf("%w: %d of %d bytes were accepted before, and what had not reached the program by then was not typed", held, sent, all)
	}
	if context.Cause(ctx) == ErrSlow {
		return fmt.Errorf("%w: %d of %d bytes were accepted in the time of the call, the rest was not typed", ErrSlow, sent, all)
	}
	return ctx.Err()
}

// beforeWrite notes where the terminal stands as a piece of input goes out:
// the echo may come before the write returns.
func (s *Session) beforeWrite(it *item) {
	tty := s.lookTTY()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.input(it.data, tty)
	if it.call == nil || !it.first {
		return
	}
	s.confirmLocked(time.Now())
	s.homes.typed(s.view.before, s.lastOutput, time.Now())
	call := it.call
	call.started = true
	call.at, call.onText = s.term.CursorPosition()
	call.offset, call.revision = s.raw.total, s.term.Revision()
	call.running, call.prompt = s.marks.running, s.atCursorLocked()
	if s.secretLocked(tty) || s.view.asked && s.secretInsideLocked() {
		call.secret, call.lines = true, nil
		s.secret.Take(s.m.mask(), call.data)
	} else {
		s.secret.Drop()
	}
	s.noteInputLocked(time.Now(), call)
	s.marks.typed(call.data, call.at, call.onText)
	start := s.promptStartLocked()
	if s.opt.Pipe && call.onText && start >= 0 {
		// No echo follows, so the answer comes in the prompt's line.
		s.echoes.mark(span{call.at.Line, start, call.at.Offset})
	}
	call.kernel = tty.known && tty.canonical && tty.echo
	s.echoes.typed(call, start, call.kernel)
	s.edit.set = false
	s.pace.Input(time.Now())
}

// deliver waits until what was written has reached the child's side.
func (s *Session) deliver() {
	delivered := true // in a pipe at once
	if master := s.child.Terminal(); master != nil {
		delivered = kernel.Deliver(master)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.delivered = delivered
}

// replied notes that a reply of the emulator, of n bytes, was written.
func (s *Session) replied(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytesIn += int64(n)
	s.unsent--
	s.view.fresh = false
	s.notifyLocked()
}

// afterWrite notes that a piece of input has reached the terminal.
func (s *Session) afterWrite(it *item, n int) {
	if it.call == nil {
		s.replied(n)
		return
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bytesIn += int64(n)
	s.activity = now
	call := it.call
	s.last = typed{by: true, person: call.person(), at: now, pos: call.at, onText: call.onText, offset: call.offset, submitted: call.submitted, running: call.running, prompt: call.prompt}
	s.view.fresh = false
	s.unsent--
	if it.finish {
		call.finished = true
		s.answered = s.answered || call.secret && call.submitted
		if !strings.HasPrefix(call.number, s.m.nonce) {
			s.rememberLocked(call)
		}
	}
	if call.secret {
		clear(it.data)
	}
	s.notifyLocked()
}
