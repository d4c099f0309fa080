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
// ctrl+z or ctrl+\. After others have typed, the owner's calls can no longer
// type. It is safe for concurrent use.
type Reservation struct {
	queue    *Queue
	released chan struct{}
	unbroken context.Context         // ends when others have typed despite the reservation
	breakOff context.CancelCauseFunc // ends it; the cause is the author who has typed
}

// Reserve waits until no other call has a reservation, at most for limit, and makes one.
// The error wraps ErrSlow if another call keeps its reservation for that long.
func (q *Queue) Reserve(ctx context.Context, limit time.Duration) (*Reservation, error) {
	timedCtx, cancel := context.WithTimeoutCause(ctx, limit, ErrSlow)
	defer cancel()
	r := &Reservation{queue: q, released: make(chan struct{})}
	r.unbroken, r.breakOff = context.WithCancelCause(context.Background())
	for !q.reservation.CompareAndSwap(nil, r) {
		if other := q.reservation.Load(); other != nil {
			if err := other.await(timedCtx); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// await receives from a channel. If ctx ends first, the error says what the call waited for.
func await(ctx context.Context, c <-chan struct{}, other string) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
	}
	if context.Cause(ctx) == ErrSlow {
		return fmt.Errorf("%w: another call %s; nothing was typed", ErrSlow, other)
	}
	return ctx.Err()
}

func (r *Reservation) await(ctx context.Context) error {
	return await(ctx, r.released, "is doing several steps in this session")
}

// Release ends the reservation. Call it exactly once: a second call panics.
func (r *Reservation) Release() {
	r.queue.reservation.CompareAndSwap(r, nil)
	close(r.released)
}

// Broken returns a channel that is closed when others type despite the reservation.
func (r *Reservation) Broken() <-chan struct{} { return r.unbroken.Done() }

// BrokenBy returns the name of the person who has typed despite the reservation, "another call"
// for a tool call, or "" if nobody has.
func (r *Reservation) BrokenBy() string {
	if by := context.Cause(r.unbroken); by != nil {
		return by.Error()
	}
	return ""
}

// reservationKey is the context key of a call's reservation.
type reservationKey struct{}

// With returns a context whose calls may type under r.
func (r *Reservation) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, reservationKey{}, r)
}

// ReservationOf returns the reservation under which the calls of ctx type, or nil.
func ReservationOf(ctx context.Context) *Reservation {
	r, _ := ctx.Value(reservationKey{}).(*Reservation)
	return r
}

// TakeTurn waits for the turn to type. If passes is set, it ignores the reservations of others.
// The error wraps ErrBroken if others have typed despite the reservation of ctx, or ErrSlow if
// that is why ctx ended. After success, call GiveTurn.
func (q *Queue) TakeTurn(ctx context.Context, passes bool) error {
	mine := ReservationOf(ctx)
	for {
		if err := q.awaitTurn(ctx); err != nil {
			return err
		}
		if mine != nil && mine.BrokenBy() != "" {
			q.GiveTurn()
			return fmt.Errorf("%w: %s has typed meanwhile; nothing was typed", ErrBroken, mine.BrokenBy())
		}
		other := q.reservation.Load()
		if other == nil || other == mine || passes {
			return nil
		}
		q.GiveTurn()
		if err := other.await(ctx); err != nil {
			return err
		}
	}
}

// awaitTurn waits until no other call is typing. That takes a bounded time, because no call
// waits forever for a child that reads nothing.
func (q *Queue) awaitTurn(ctx context.Context) error {
	q.wanted.Add(1)
	defer q.wanted.Add(-1)
	return await(ctx, q.turn, "was still typing")
}

// NoteTyped records that by has typed, where "" stands for another call. This breaks the
// reservation unless it is that of ctx.
func (q *Queue) NoteTyped(ctx context.Context, by string) {
	if r := q.reservation.Load(); r != nil && r != ReservationOf(ctx) {
		r.breakOff(errors.New(cmp.Or(by, "another call")))
	}
}
