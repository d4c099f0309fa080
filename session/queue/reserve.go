package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A Reservation keeps other tool calls from typing into a session while its owner types several
// inputs. It does not stop reads, waits, people, or input that begins with ctrl+c, ctrl+z or
// ctrl+\. If somebody else has typed despite the Reservation, its owner can no longer type with it.
// A Reservation is safe for concurrent use.
type Reservation struct {
	queue  *Queue
	valid  context.Context         // ends when somebody else has typed despite the reservation
	cancel context.CancelCauseFunc // ends valid; the cause names the person or call that has typed
}

// Reserve makes a reservation. Before that, it waits, for at most limit, until no other call has a
// reservation or waits for the turn to type. If limit has passed, the error wraps ErrSlow.
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

// Broken returns a channel that is closed when somebody else types despite the reservation.
func (r *Reservation) Broken() <-chan struct{} { return r.valid.Done() }

// BrokenBy returns the name of the person who has typed despite the reservation, or "another call"
// for a tool call. If nobody has, it returns "".
func (r *Reservation) BrokenBy() string {
	if by := context.Cause(r.valid); by != nil {
		return by.Error()
	}
	return ""
}

// reservationKey is the context key of a call's reservation.
type reservationKey struct{}

// With returns a context with the reservation. Calls with this context are calls of r's owner.
func (r *Reservation) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, reservationKey{}, r)
}

// ReservationOf returns the reservation that ctx contains, or nil if there is none.
func ReservationOf(ctx context.Context) *Reservation {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	return r
}

// TakeTurn waits for the turn to type. If ignoreReserved is set, it does not wait for the end of another
// call's reservation. The error wraps ErrBroken if somebody else has typed despite the reservation in ctx,
// or ErrSlow if ctx has ended with the cause ErrSlow. After success, call GiveTurn.
//
// The wait ends even if ctx has no deadline, because the call that has the turn gives up if the child reads
// nothing.
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

// await receives from c, which is q.turn or q.unreserved. If ctx ends first with the cause ErrSlow,
// the error says what the call waited for.
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

// NoteTyped records that by, the name of a person or "" for a call, has typed with ctx. This breaks
// the queue's reservation, unless ctx contains this reservation.
func (q *Queue) NoteTyped(ctx context.Context, by string) {
	if r := q.reservation.Load(); r != nil && r != ReservationOf(ctx) {
		r.cancel(errors.New(cmp.Or(by, "another call")))
	}
}
