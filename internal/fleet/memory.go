package fleet

import (
	"context"
	"sync"
	"time"
)

// Bounds of what a node remembers of the calls that it has made.
const (
	keepAnswers   = 2 * time.Minute
	maxCalls      = 1024     // remembered, under way or not
	maxRunning    = 256      // under way at once
	maxRemembered = 64 << 20 // bytes of answers
)

// memory knows the calls that a node makes and has made, so that one that is sent again
// is not made twice.
type memory struct {
	mu      sync.Mutex // guards what follows
	calls   map[string]*served
	order   []string // of the identities of calls that are done, the oldest first
	size    int      // of their answers
	running int
}

// served is a call that a node makes or has made.
type served struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when there is an answer

	// Guarded by memory's mu.
	reply  string // where the answer goes: to whoever asked last
	answer []byte
	at     time.Time // of the answer
}

// newMemory returns an empty one.
func newMemory() *memory { return &memory{calls: map[string]*served{}} }

// begin returns the call of an identity, and whether it is one that was not known. The
// answer goes to reply from now on. It returns nil when too many calls are under way.
func (m *memory) begin(id, reply string, cancel context.CancelFunc) (c *served, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forget()
	if c = m.calls[id]; c != nil {
		c.reply = reply
		return c, false
	}
	if m.running >= maxRunning {
		return nil, false
	}
	m.running++
	c = &served{cancel: cancel, done: make(chan struct{}), reply: reply}
	m.calls[id] = c
	return c, true
}

// end keeps a call's answer, and forgets a call without one.
func (m *memory) end(id string, c *served, answer []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running--
	defer close(c.done)
	if answer == nil {
		delete(m.calls, id)
		return
	}
	c.answer, c.at = answer, time.Now()
	m.order = append(m.order, id)
	m.size += len(answer)
	m.forget()
}

// forget drops answers that are old, or too many. It is called with mu held.
func (m *memory) forget() {
	for len(m.order) > 0 {
		c := m.calls[m.order[0]]
		if time.Since(c.at) < keepAnswers && len(m.order) <= maxCalls && m.size <= maxRemembered {
			return
		}
		m.size -= len(c.answer)
		delete(m.calls, m.order[0])
		m.order = m.order[1:]
	}
}

// replyTo returns where the messages for a call go.
func (m *memory) replyTo(c *served) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.reply
}

// cancel ends a call that is under way.
func (m *memory) cancel(id string) {
	m.mu.Lock()
	c := m.calls[id]
	m.mu.Unlock()
	if c != nil {
		c.cancel()
	}
}
