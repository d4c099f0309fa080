package session

import (
	"context"
	"time"

	"github.com/glasstty/glasstty/session/queue"
)

const (
	// stallLimit is how long a call waits for room in the queue while the child reads nothing.
	stallLimit = 2 * time.Second
	// A child that has printed nothing may still be starting. A call waits longer than stallLimit for
	// such a child, until startLimit after the child's start.
	startLimit = 10 * time.Second
	// typeLimit is how long a call that does not wait for an answer may type to a child that
	// reads slowly. It is shorter than the timeouts of clients.
	typeLimit = 20 * time.Second
	// maxInput is the maximum number of bytes that one call may type.
	maxInput = 16 << 20
)

// Type queues the input in for the child without waiting for an answer, and returns the number of bytes
// accepted. It waits for its turn, for the program's reaction between bursts, and while the queue is full.
// The error wraps ErrInputFull if the child reads nothing, or ErrSlow if the wait for the turn, or the typing
// of a part of the input, takes longer than typeLimit.
func (s *Session) Type(ctx context.Context, in Input) (int, error) {
	return s.typeNow(ctx, entry{Input: in})
}

// typeNow is Type for an entry.
func (s *Session) typeNow(ctx context.Context, in entry) (int, error) {
	_, n, err := s.typeIn(ctx, in, typeLimit)
	return n, err
}

// typeIn is Type with a time limit instead of typeLimit: for the wait for the turn, and for the typing of
// each part. If the danger check cuts the input, all parts but the last together may not take longer either.
// typeIn also returns the queue.Call of the last part, or nil if in is empty.
func (s *Session) typeIn(ctx context.Context, in entry, limit time.Duration) (*queue.Call, int, error) {
	if in.Empty() {
		return nil, 0, nil
	}
	timedCtx, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	if err := s.queue.TakeTurn(timedCtx, in.by.Person || in.Interrupts()); err != nil {
		return nil, 0, err
	}
	defer s.queue.GiveTurn()
	if !in.by.Person {
		in.by = callerOf(ctx).client
	}
	u := submission{s: s, in: in, limit: limit}
	if err := u.checkRate(timedCtx); err != nil {
		return nil, 0, err
	}
	call, err := u.typeChecked(ctx)
	// A person who answers a password prompt does not break a Reservation.
	if answers := in.by.Person && call != nil && locked(s, func() bool { return call.Input.Secret }); u.total > 0 && !answers {
		s.queue.NoteTyped(ctx, in.by.PersonName())
	}
	return call, u.total, u.explainUnread(err)
}

// A Reservation keeps other tool calls from typing into a session while its owner types
// several inputs.
type Reservation = queue.Reservation

// Reserve waits, at most for limit, until no other call has a reservation, and makes one. The error wraps
// ErrSlow if another call keeps its reservation for longer than limit.
func (s *Session) Reserve(ctx context.Context, limit time.Duration) (*Reservation, error) {
	return s.queue.Reserve(ctx, limit)
}

// HasTyped reports whether the call that ctx names has already typed all of its input, perhaps before a
// restart of the server.
func (s *Session) HasTyped(ctx context.Context) bool {
	return locked(s, func() bool { return s.state.CallInput(callerOf(ctx).call) != nil })
}
