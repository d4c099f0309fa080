package httpserve

import (
	"context"
	"math"
	"sync"
	"time"
)

// answerTime is the maximum wait for the last answers of an MCP session before the session is
// closed, because the SDK writes no answers while it closes a session.
const answerTime = 2 * time.Second

// pendingRequests counts the requests whose answers are not written yet. It is safe for
// concurrent use.
type pendingRequests struct {
	mu      sync.Mutex     // guards the fields below
	counts  map[string]int // by MCP session, "" for requests without one; each at least 1
	changed chan struct{}  // closed and replaced when counts changes
}

// allRequests is more than a session can have. Subtracting it removes all requests of the session.
const allRequests = math.MaxInt32

func newPendingRequests() *pendingRequests {
	return &pendingRequests{counts: map[string]int{}, changed: make(chan struct{})}
}

// add adds n, which may be negative, to the number of requests of a session.
func (p *pendingRequests) add(session string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.counts[session] += n; p.counts[session] <= 0 {
		delete(p.counts, session)
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait waits until done reports true, but not longer than answerTime.
func (p *pendingRequests) wait(ctx context.Context, done func(counts map[string]int) bool) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	for {
		p.mu.Lock()
		ok, changed := done(p.counts), p.changed
		p.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
