package fleet

import (
	"context"
	"sync"
	"time"
)

// Limits on a node's memory of calls.
const (
	keepAnswers   = 2 * time.Minute
	maxCalls      = 1024     // finished calls that are remembered
	maxRunning    = 256      // calls running at once
	maxRemembered = 64 << 20 // bytes of answers
)

// memory holds the calls that a node is running or has run, so that a call that is sent
// again is not run twice.
type memory struct {
	mu      sync.Mutex // guards what follows
	calls   map[string]*served
	order   []string // identities of finished calls, oldest first
	size    int      // bytes of their answers
	running int
}

// served is a call that a node is running or has run.
type served struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the call has ended

	// Guarded by memory's mu.
	reply  string // reply subject of the latest request
	answer []byte
	at     time.Time // time of the answer
}

// newMemory returns an empty memory.
func newMemory() *memory { return &memory{calls: map[string]*served{}} }

// begin returns the call with an identity, and whether the call is new. From now on its
// messages go to reply. begin returns nil if too many calls are running.
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

// end stores a call's answer. It forgets a call whose answer is nil.
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

// forget drops answers that are too old or too many. It is called with mu held.
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

// replyTo returns the reply subject of a call.
func (m *memory) replyTo(c *served) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.reply
}

// cancel cancels a call that is running.
func (m *memory) cancel(id string) {
	m.mu.Lock()
	c := m.calls[id]
	m.mu.Unlock()
	if c != nil {
		c.cancel()
	}
}
