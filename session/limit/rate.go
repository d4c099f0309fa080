package limit

import "time"

// A Bucket limits what is typed: as many bytes at once as in one second, and then
// so many a second. Whoever has the turn of the queue uses it.
type Bucket struct {
	Rate  int64   // bytes a second; none when not above zero
	spent float64 // bytes that were typed and have not been made up for
	at    time.Time
}

// Refill makes up for the time since the last use.
func (b *Bucket) Refill(now time.Time) {
	if !b.at.IsZero() {
		b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*float64(b.Rate))
	}
	b.at = now
}

// Delay returns how long typing n more bytes takes.
func (b *Bucket) Delay(n int, now time.Time) time.Duration {
	if b.Rate <= 0 {
		return 0
	}
	b.Refill(now)
	over := b.spent + float64(n) - float64(b.Rate)
	return time.Duration(max(0, over) / float64(b.Rate) * float64(time.Second))
}

// Take counts n bytes as typed.
func (b *Bucket) Take(n int) { b.spent += float64(n) }
