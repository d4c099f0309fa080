package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// beatEvery is the interval at which a node tells a caller that its call is still running, and at
// which the ends of a stream report how much they have taken.
const beatEvery = 2 * time.Second

// serve subscribes to the requests that a node answers.
func (m *Member) serve() error {
	name := m.opt.Name
	var subs []*nats.Subscription
	for subject, handle := range map[string]nats.MsgHandler{
		join(verbWho, "*"):                        m.askedAll,
		toNode(name, anyInstance, verbWho, "*"):   m.askedOne,
		toNode(name, anyInstance, verbDrain, "*"): m.handleDrain,
		toNode(name, m.instance, verbCall, "*"):   m.called,
		toNode(name, m.instance, verbCancel, "*"): m.cancelled,
		toNode(name, m.instance, verbStream, "*"): m.streamed,
		m.undeliveredTo(">"):                      m.undelivered,
	} {
		sub, err := m.conn.Subscribe(subject, handle)
		if err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
		subs = append(subs, sub)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.subs, m.here = subs, true
	return nil
}

// unserve undoes serve: it closes the streams and ends the subscriptions.
func (m *Member) unserve() {
	m.mu.Lock()
	subs := m.subs
	m.subs, m.here = nil, false
	m.mu.Unlock()
	endAll(m.served)
	for _, sub := range subs {
		if err := sub.Unsubscribe(); err != nil {
			m.log.Debug("fleet: unsubscribe", "subject", sub.Subject, "err", err)
		}
	}
}

// announce publishes this node's state to all members, with Claim and Leaving taken from add.
func (m *Member) announce(add State) error {
	s := m.state()
	s.Claim, s.Leaving = add.Claim, add.Leaving
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return m.conn.Publish(stateOf(m.opt.Name), data)
}

// mayReply reports whether the reply subject of a message is allowed: it must be one on
// which this node answers the message's sender.
func (m *Member) mayReply(msg *nats.Msg, sender string) bool {
	return sender != "" && strings.HasPrefix(msg.Reply, repliesTo(m.opt.Name, sender, ""))
}

// askedAll answers a question to all nodes with this node's state, when the message's
// selector matches this node. The reply subject of such a question has * for the node's name.
func (m *Member) askedAll(msg *nats.Msg) {
	s, err := parseSelector(string(msg.Data))
	if err != nil || !s.fits(m.state()) {
		return
	}
	sender := token(msg.Subject, whoPlace)
	msg.Reply = strings.Replace(msg.Reply, repliesTo(anyInstance, sender, ""), repliesTo(m.opt.Name, sender, ""), 1)
	m.replyState(msg, sender)
}

// askedOne answers a question to this node alone with its state.
func (m *Member) askedOne(msg *nats.Msg) { m.replyState(msg, token(msg.Subject, senderPlace)) }

// replyState replies with the node's state.
func (m *Member) replyState(msg *nats.Msg, sender string) {
	if !m.mayReply(msg, sender) {
		return
	}
	data, err := json.Marshal(m.state())
	if err == nil {
		err = m.conn.Publish(msg.Reply, data)
	}
	if err != nil {
		m.log.Warn("fleet: answer", "err", err)
	}
}

// called runs a call. A call that is already known, because its message was sent again, is
// answered and not run again.
func (m *Member) called(msg *nats.Msg) {
	sender, id := token(msg.Subject, senderPlace), msg.Header.Get(headerCall)
	if !m.mayReply(msg, sender) || id == "" || len(id) > maxIdentity {
		return
	}
	if err := m.self().allowed(msg.Header.Get(headerHosts)); err != nil {
		m.answer(newAnswer(msg.Reply, kindRefused, []byte(err.Error())))
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	c, first := m.memory.begin(id, msg.Reply, msg.Data, cancel)
	switch {
	case c == nil:
		cancel()
		m.answer(newAnswer(msg.Reply, kindRefused, fmt.Appendf(nil, "%s is running %d calls, which is the maximum; try again later", m.opt.Name, maxRunning)))
	case first:
		go m.work(ctx, c)
	default:
		cancel()
		m.repeat(c)
	}
}

// cancelled cancels a call. If it has ended, its caller did not wait for the answer.
func (m *Member) cancelled(msg *nats.Msg) {
	if c := m.memory.cancel(msg.Header.Get(headerCall)); c != nil {
		m.unreceived(c)
	}
}

// undeliveredTo returns the subject on which NATS reports that nobody has received an answer
// to the subject reply.
func (m *Member) undeliveredTo(reply string) string {
	return inbox(m.opt.Name) + "." + m.instance + "." + reply
}

// undelivered handles the report that nobody has received an answer.
func (m *Member) undelivered(msg *nats.Msg) {
	c := m.memory.repliedTo(strings.TrimPrefix(msg.Subject, m.undeliveredTo("")))
	if c != nil && nobody(msg) {
		m.unreceived(c)
	}
}

// unreceived handles a call whose answer was not received: it makes the output that the call read
// unread again, and forgets the call if it must then be handled again.
func (m *Member) unreceived(c *served) {
	if m.opt.Unread != nil && m.opt.Unread(c.body) {
		m.memory.drop(c)
	}
}

// repeat replies to a repeated call: with its answer, or with a beat while it is running.
func (m *Member) repeat(c *served) {
	select {
	case <-c.done:
		m.finish(c)
	default:
		m.answer(newAnswer(m.memory.replyTo(c), kindBeat, nil))
	}
}

// work runs a call and answers it.
func (m *Member) work(ctx context.Context, c *served) {
	defer c.cancel()
	go m.beat(c)
	answer := m.opt.Handle(ctx, c.body, m.answerRoom(), func(data []byte) {
		m.answer(newAnswer(m.memory.replyTo(c), kindProgress, data))
	})
	if m.ctx.Err() != nil {
		return // the caller will ask this node's next run
	}
	if answer == nil && ctx.Err() == nil {
		answer = []byte{}
	}
	m.memory.end(c, answer)
	m.finish(c)
}

// beat tells the caller every beatEvery that the call is running.
func (m *Member) beat(c *served) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			m.answer(newAnswer(m.memory.replyTo(c), kindBeat, nil))
		case <-c.done:
			return
		case <-m.ctx.Done():
			return
		}
	}
}

// finish sends a call's answer. A call without an answer gets no reply; a caller that still
// waits sends it again.
func (m *Member) finish(c *served) {
	if c.answer == nil {
		return
	}
	reply := m.memory.replyTo(c)
	all := parts(reply, c.answer, m.room())
	all[len(all)-1].Reply = m.undeliveredTo(reply)
	for _, msg := range all {
		m.answer(msg)
	}
}

// room returns the number of bytes of data that one message can carry.
func (m *Member) room() int { return max(int(m.conn.MaxPayload())-headerRoom, headerRoom) }

// answerRoom returns the maximum size of an answer, in bytes.
func (m *Member) answerRoom() int { return min(maxAnswer, maxParts*m.room()) }

// answer sends one message of an answer. If it is lost, the caller sends the call again.
func (m *Member) answer(msg *nats.Msg) {
	if err := m.conn.PublishMsg(msg); err != nil && m.ctx.Err() == nil {
		m.log.Debug("fleet: answer", "err", err)
	}
}
