package fleet

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// An Order is an operator's instruction about a node.
type Order struct {
	Do       string // one of the constants below
	Node     string
	Operator string // Options.Operator
	Gateway  string // the gateway whose credentials the operator uses
}

// The values of Order.Do.
const (
	OrderDrain  = "drain"  // take no new sessions
	OrderResume = "resume" // take new sessions again
	OrderForget = "forget" // the node is permanently gone
)

// Drain makes a node stop or resume taking new sessions, and returns its state.
func (m *Member) Drain(ctx context.Context, host string, on bool) (State, error) {
	order := OrderResume
	if on {
		order = OrderDrain
	}
	s, err := m.request(ctx, host, verbDrain, []byte(order+" "+m.opt.Operator))
	if err == nil && s.Draining != on {
		err = fmt.Errorf("node %s reports that its draining is still %v; its log may say why", host, s.Draining)
	}
	return s, err
}

// handleOrder passes an order to Options.HandleOrder, if that is set, and reports whether there was no error.
func (m *Member) handleOrder(o Order) bool {
	m.log.Info("fleet: "+o.Do, "node", o.Node, "operator", o.Operator, "gateway", o.Gateway)
	if m.opt.HandleOrder == nil {
		return true
	}
	err := m.opt.HandleOrder(o)
	if err != nil {
		m.log.Error("fleet: "+o.Do, "err", err)
	}
	return err == nil
}

// handleDrain carries out an order to drain or resume, announces this node's new state, and
// replies with the state.
func (s *service) handleDrain(msg *nats.Msg) {
	o := Order{Node: s.m.opt.Name, Gateway: token(msg.Subject, senderIndex)}
	o.Do, o.Operator, _ = strings.Cut(string(msg.Data), " ")
	if !s.mayReply(msg, o.Gateway) || o.Do != OrderDrain && o.Do != OrderResume {
		return
	}
	if s.m.handleOrder(o) {
		s.mu.Lock()
		s.draining = o.Do == OrderDrain
		s.mu.Unlock()
		if err := s.announce(State{}); err != nil {
			s.m.log.Warn("fleet: announce", "err", err)
		}
	}
	s.replyState(msg, o.Gateway)
}
