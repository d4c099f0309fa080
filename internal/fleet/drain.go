package fleet

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// What a node is told to do about new sessions.
const (
	drainOn  = "on"
	drainOff = "off"
)

// Drain has a node take no new sessions, or take them again, and returns its state.
func (m *Member) Drain(ctx context.Context, host string, on bool) (State, error) {
	word := drainOff
	if on {
		word = drainOn
	}
	s, err := m.request(ctx, host, verbDrain, []byte(word))
	if err == nil && s.Draining != on {
		err = fmt.Errorf("node %s answers that its draining is still %v; is its glasstty of another version?", host, s.Draining)
	}
	return s, err
}

// toldToDrain does what an operator wants, tells everybody, and answers with the state.
func (m *Member) toldToDrain(msg *nats.Msg) {
	sender, word := token(msg.Subject, senderPlace), string(msg.Data)
	if !m.mayReply(msg, sender) || word != drainOn && word != drainOff {
		return
	}
	on := word == drainOn
	m.mu.Lock()
	was := m.draining
	m.draining = on
	m.mu.Unlock()
	if was != on {
		m.log.Info("fleet: draining", "on", on, "by", sender)
		if m.opt.Drain != nil {
			m.opt.Drain(on)
		}
		if err := m.announce(State{}); err != nil {
			m.log.Warn("fleet: announce", "err", err)
		}
	}
	m.tellState(msg, sender)
}
