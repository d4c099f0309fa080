package fleet

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Limits on a node's memory of calls.
const (
	keepAnswers   = 2 * time.Minute
	maxCalls      = 1024     // finished calls that are remembered
	maxRunning    = 256      // calls running at once
	maxRemembered = 64 << 20 // bytes of calls and answers
)

// A memory holds the calls that a node is running or has run, so that no call runs twice when it is
// sent again.
type memory struct {
	mu    sync.Mutex         // guards what follows
	calls map[string]*served // by their identities
	ended []*served          // the calls that have ended, oldest first
}

// A served is a call that a node is running or has run.
type served struct {
	id     string
	body   []byte
	cancel context.CancelFunc
	done   chan struct{} // closed when the call has ended

	// Guarded by memory's mu.
	reply  string // reply subject of the latest request
	answer []byte
	at     time.Time // time of the answer
}

// newMemory returns an empty memory.
func newMemory() *memory { return &memory{calls: map[string]*served{}} }

// begin returns the call with an identity, and whether the call is new. From now on, the call's
// answers go to reply. begin returns nil if the call is new and too many calls are running.
func (m *memory) begin(id, reply string, body []byte, cancel context.CancelFunc) (c *served, first bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trim()
	if c = m.calls[id]; c != nil {
		c.reply = reply
		return c, false
	}
	if len(m.calls)-len(m.ended) >= maxRunning {
		return nil, false
	}
	c = &served{id: id, body: body, cancel: cancel, done: make(chan struct{}), reply: reply}
	m.calls[id] = c
	return c, true
}

// end stores a call's answer. It forgets a call whose answer is nil.
func (m *memory) end(c *served, answer []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer close(c.done)
	if answer == nil {
		delete(m.calls, c.id)
		return
	}
	c.answer, c.at = answer, time.Now()
	m.ended = append(m.ended, c)
	m.trim()
}

// trim forgets calls whose answers are too old or too many. It is called with mu held.
func (m *memory) trim() {
	size, oldest := 0, time.Now().Add(-keepAnswers)
	for i, c := range slices.Backward(m.ended) {
		size += len(c.body) + len(c.answer)
		if c.at.Before(oldest) || len(m.ended)-i > maxCalls || size > maxRemembered {
			for _, old := range m.ended[:i+1] {
				delete(m.calls, old.id)
			}
			m.ended = slices.Delete(m.ended, 0, i+1)
			return
		}
	}
}

// drop forgets a call that has ended.
func (m *memory) drop(c *served) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.Index(m.ended, c); i >= 0 {
		m.ended = slices.Delete(m.ended, i, i+1)
		delete(m.calls, c.id)
	}
}

// repliedTo returns the call that was answered on a subject, or nil.
func (m *memory) repliedTo(reply string) *served {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i := slices.IndexFunc(m.ended, func(c *served) bool { return c.reply == reply }); i >= 0 {
		return m.ended[i]
	}
	return nil
}

// replyTo returns the reply subject of a call.
func (m *memory) replyTo(c *served) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.reply
}

// cancel cancels a call that is running. If the call has already ended, cancel returns it.
func (m *memory) cancel(id string) (ended *served) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.calls[id]
	if c == nil || !c.at.IsZero() {
		return c
	}
	c.cancel()
	return nil
}
