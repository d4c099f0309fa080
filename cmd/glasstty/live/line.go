package live

import (
	"context"
	"sync"
)

// maxAhead is the maximum size in bytes of the requests that wait to be typed. A larger
// request waits alone.
const maxAhead = 1 << 20

// A line is a queue of the requests of a page that type. It is safe for concurrent use.
type line struct {
	mu      sync.Mutex // guards what follows
	waiting []queued
	bytes   int           // total size of waiting
	changed chan struct{} // closed at the next change
}

// A queued is a request and the size of its message in bytes.
type queued struct {
	request *request
	size    int
}

// newLine returns an empty line.
func newLine() *line { return &line{changed: make(chan struct{})} }

// put appends a request. It waits for room, so that a page that sends faster than
// its programs read is slowed down.
func (l *line) put(ctx context.Context, r *request, size int) error {
	room := func() bool { return len(l.waiting) == 0 || l.bytes+size <= maxAhead }
	return l.when(ctx, room, func() {
		l.waiting = append(l.waiting, queued{r, size})
		l.bytes += size
	})
}

// next waits for the first request and removes it.
func (l *line) next(ctx context.Context) (*request, error) {
	var first queued
	some := func() bool { return len(l.waiting) > 0 }
	err := l.when(ctx, some, func() {
		first = l.waiting[0]
		l.waiting[0] = queued{}
		l.waiting = l.waiting[1:]
		l.bytes -= first.size
	})
	return first.request, err
}

// when waits until ready returns true, then calls do, which changes the line. Both are called
// with l.mu held.
func (l *line) when(ctx context.Context, ready func() bool, do func()) error {
	for {
		l.mu.Lock()
		if ready() {
			do()
			close(l.changed)
			l.changed = make(chan struct{})
			l.mu.Unlock()
			return nil
		}
		changed := l.changed
		l.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
