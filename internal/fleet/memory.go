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

// memory holds the calls that a node is running or has run, so that a call that is sent
// again is not run twice.
type memory struct {
	mu      sync.Mutex // guards what follows
	calls   map[string]*served
	order   []string // identities of finished calls, oldest first
	size    int      // bytes of them and their answers
	running int
}

// served is a call that a node is running or has run.
type served struct {
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

// begin returns the call with an identity, and whether the call is new. From now on its
// messages go to reply. begin returns nil if too many calls are running.
func (m *memory) begin(id, reply string, body []byte, cancel context.CancelFunc) (c *served, first bool) {
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
	c = &served{body: body, cancel: cancel, done: make(chan struct{}), reply: reply}
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
	m.size += c.bytes()
	m.forget()
}

// forget drops answers that are too old or too many. It is called with mu held.
func (m *memory) forget() {
	for len(m.order) > 0 {
		c := m.calls[m.order[0]]
		if time.Since(c.at) < keepAnswers && len(m.order) <= maxCalls && m.size <= maxRemembered {
			return
		}
		m.dropLocked(m.order[0])
	}
}

// drop forgets a call that has ended.
func (m *memory) drop(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(id)
}

func (m *memory) dropLocked(id string) {
	i := slices.Index(m.order, id)
	if i < 0 {
		return
	}
	m.order = slices.Delete(m.order, i, i+1)
	m.size -= m.calls[id].bytes()
	delete(m.calls, id)
}

// bytes returns the size of a call and its answer.
func (c *served) bytes() int { return len(c.body) + len(c.answer) }

// repliedTo returns the call that was answered on a subject, or nil.
func (m *memory) repliedTo(reply string) (id string, c *served) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.order {
		if c := m.calls[id]; c.reply == reply {
			return id, c
		}
	}
	return "", nil
}

// replyTo returns the reply subject of a call.
func (m *memory) replyTo(c *served) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return c.reply
}

// cancel cancels a call that is running. It returns the call if it has ended.
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
