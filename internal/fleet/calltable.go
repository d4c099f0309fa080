package fleet

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Limits on a callTable.
const (
	answerTTL    = 2 * time.Minute // how long a call is remembered after its end
	maxEnded     = 1024            // ended calls that are remembered
	maxRunning   = 256             // calls running at once
	maxCallBytes = 64 << 20        // bytes of ended calls and their answers
)

// A callTable holds the calls that a node is running or has run, so that no call runs twice when it
// is sent again. It is safe for concurrent use.
type callTable struct {
	mu    sync.Mutex             // guards what follows
	calls map[string]*servedCall // by the calls' identities
	ended []*servedCall          // the calls that have ended, oldest first
}

// A servedCall is a call that a node is running or has run.
type servedCall struct {
	id     string
	body   []byte
	cancel context.CancelFunc
	done   chan struct{} // closed when the call has ended
	answer []byte        // set before done is closed, and then never changed

	// Guarded by the callTable's mu.
	reply string    // reply subject of the latest request
	at    time.Time // time of the answer; zero if there is none
}

func newCallTable() *callTable { return &callTable{calls: map[string]*servedCall{}} }

// begin returns the call with an identity, and whether the call is new. From now on, messages to the
// call's caller go to reply. If the call is new and too many calls are running, begin returns nil.
func (t *callTable) begin(id, reply string, body []byte, cancel context.CancelFunc) (c *servedCall, first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trimLocked()
	if c = t.calls[id]; c != nil {
		c.reply = reply
		return c, false
	}
	if len(t.calls)-len(t.ended) >= maxRunning {
		return nil, false
	}
	c = &servedCall{id: id, body: body, cancel: cancel, done: make(chan struct{}), reply: reply}
	t.calls[id] = c
	return c, true
}

// end stores a call's answer. It forgets a call whose answer is nil.
func (t *callTable) end(c *servedCall, answer []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer close(c.done)
	if answer == nil {
		delete(t.calls, c.id)
		return
	}
	c.answer, c.at = answer, time.Now()
	t.ended = append(t.ended, c)
	t.trimLocked()
}

// trimLocked forgets ended calls: those that ended more than answerTTL ago, and the oldest ones while
// there are more than maxEnded or they have more than maxCallBytes.
func (t *callTable) trimLocked() {
	size, oldest := 0, time.Now().Add(-answerTTL)
	for i, c := range slices.Backward(t.ended) {
		size += len(c.body) + len(c.answer)
		if c.at.Before(oldest) || len(t.ended)-i > maxEnded || size > maxCallBytes {
			for _, old := range t.ended[:i+1] {
				delete(t.calls, old.id)
			}
			t.ended = slices.Delete(t.ended, 0, i+1)
			return
		}
	}
}

// drop forgets a call that has ended.
func (t *callTable) drop(c *servedCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.ended, c); i >= 0 {
		t.ended = slices.Delete(t.ended, i, i+1)
		delete(t.calls, c.id)
	}
}

// repliedTo returns the ended call whose latest reply subject is reply, or nil.
func (t *callTable) repliedTo(reply string) *servedCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.ended, func(c *servedCall) bool { return c.reply == reply }); i >= 0 {
		return t.ended[i]
	}
	return nil
}

// replyTo returns the reply subject of a call.
func (t *callTable) replyTo(c *servedCall) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return c.reply
}

// cancel cancels a call if it is running, and returns it if it has already ended.
func (t *callTable) cancel(id string) (ended *servedCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.calls[id]
	if c == nil || !c.at.IsZero() {
		return c
	}
	c.cancel()
	return nil
}
