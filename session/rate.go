package session

import (
	"context"
	"fmt"
	"time"
)

// A bucket limits what is typed: as many bytes at once as in one second, and then
// so many a second. Whoever has the turn of the queue uses it.
type bucket struct {
	rate  int64   // bytes a second; none when not above zero
	spent float64 // bytes that were typed and have not been made up for
	at    time.Time
}

// refill makes up for the time since the last use.
func (b *bucket) refill(now time.Time) {
	if !b.at.IsZero() {
		b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*float64(b.rate))
	}
	b.at = now
}

// delay returns how long typing n more bytes takes.
func (b *bucket) delay(n int, now time.Time) time.Duration {
	if b.rate <= 0 {
		return 0
	}
	b.refill(now)
	over := b.spent + float64(n) - float64(b.rate)
	return time.Duration(max(0, over) / float64(b.rate) * float64(time.Second))
}

// take counts n bytes as typed.
func (b *bucket) take(n int) { b.spent += float64(n) }

// mayType refuses input that cannot be typed within the call's time, so that
// nothing of it is typed.
func (s *Session) mayType(ctx context.Context, in Input) error {
	n := in.size()
	now := time.Now()
	takes := s.rate.delay(n, now)
	end, ok := ctx.Deadline()
	if !ok || takes == 0 || takes < end.Sub(now) {
		return nil
	}
	return fmt.Errorf("%w: %d bytes take %s s, and this call has %s s for it; nothing was typed (%s)",
		ErrRate, n, asSeconds(takes.Round(100*time.Millisecond)), asSeconds(end.Sub(now).Round(100*time.Millisecond)),
		raise(LimitInputRate, fmt.Sprint(s.rate.rate>>10)))
}

// size returns about how many bytes in types.
func (in Input) size() int {
	n := len(in.Text)
	for _, k := range in.Keys {
		n += max(len(k.Text), k.Repeat, 1)
	}
	return n
}

// awaitRate waits until n more bytes may be typed, and reports false when ctx ends
// before.
func (s *Session) awaitRate(ctx context.Context, n int) bool {
	wait := s.rate.delay(n, time.Now())
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-s.exited:
		case <-ctx.Done():
			return false
		}
		s.rate.refill(time.Now())
	}
	s.rate.take(n)
	return true
}
