package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A Reservation keeps other tool calls from typing into a session while its owner types
// several inputs. It does not stop reads, waits, people, or input that begins with ctrl+c,
// ctrl+z or ctrl+\. After others have typed despite the Reservation, its owner can no longer
// type. It is safe for concurrent use.
type Reservation struct {
	queue  *Queue
	valid  context.Context         // ends when others have typed despite the reservation
	cancel context.CancelCauseFunc // ends valid; the cause is the author who has typed
}

// Reserve waits until no other call has a reservation, at most for limit, and makes one.
// The error wraps ErrSlow if limit has passed.
func (q *Queue) Reserve(ctx context.Context, limit time.Duration) (*Reservation, error) {
	timedCtx, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	if err := q.await(timedCtx, q.unreserved); err != nil {
		return nil, err
	}
	r := &Reservation{queue: q}
	r.valid, r.cancel = context.WithCancelCause(context.Background())
	q.reservation.Store(r)
	return r, nil
}

// Release ends the reservation. Call it exactly once.
func (r *Reservation) Release() {
	r.queue.reservation.Store(nil)
	r.queue.unreserved <- struct{}{}
}

// Broken returns a channel that is closed when others type despite the reservation.
func (r *Reservation) Broken() <-chan struct{} { return r.valid.Done() }

// BrokenBy returns the name of the person who has typed despite the reservation, "another call"
// for a tool call, or "" if nobody has.
func (r *Reservation) BrokenBy() string {
	if by := context.Cause(r.valid); by != nil {
		return by.Error()
	}
	return ""
}

// reservationKey is the context key of a call's reservation.
type reservationKey struct{}

// With returns a context for the calls of r's owner.
func (r *Reservation) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, reservationKey{}, r)
}

// ReservationOf returns the reservation of ctx, or nil.
func ReservationOf(ctx context.Context) *Reservation {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	return r
}

// TakeTurn waits for the turn to type, and ignores reservations if ignoreReserved is set. The
// error wraps ErrBroken if others have typed despite the reservation of ctx, or ErrSlow if
// ErrSlow is the cause with which ctx ended. After success, call GiveTurn.
//
// The wait ends even if ctx has no deadline, because each call gives up typing to a child that
// reads nothing.
func (q *Queue) TakeTurn(ctx context.Context, ignoreReserved bool) error {
	own := ReservationOf(ctx)
	if own == nil && !ignoreReserved {
		if err := q.await(ctx, q.unreserved); err != nil {
			return err
		}
		defer func() { q.unreserved <- struct{}{} }()
	}
	q.wanted.Add(1)
	defer q.wanted.Add(-1)
	if err := q.await(ctx, q.turn); err != nil {
		return err
	}
	if own != nil && own.BrokenBy() != "" {
		q.GiveTurn()
		return fmt.Errorf("%w: %s has typed meanwhile; nothing was typed", ErrBroken, own.BrokenBy())
	}
	return nil
}

// await receives from q.turn or q.unreserved. If ErrSlow ends ctx first, the error says what the
// call waited for.
func (q *Queue) await(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
	}
	switch {
	case context.Cause(ctx) != ErrSlow:
		return ctx.Err()
	case q.reservation.Load() != nil:
		return fmt.Errorf("%w: another call is doing several steps in this session; nothing was typed", ErrSlow)
	}
	return fmt.Errorf("%w: another call was still typing; nothing was typed", ErrSlow)
}

// NoteTyped records that by has typed, where "" stands for another call. This breaks the
// reservation unless it is that of ctx.
func (q *Queue) NoteTyped(ctx context.Context, by string) {
	if r := q.reservation.Load(); r != nil && r != ReservationOf(ctx) {
		r.cancel(errors.New(cmp.Or(by, "another call")))
	}
}
