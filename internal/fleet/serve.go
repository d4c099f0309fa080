package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// beatEvery is the interval at which a node reports to a caller that the call is still running, and
// at which the ends of a stream report how much they have taken.
const beatEvery = 2 * time.Second

// A service makes a Member a node: it claims the member's name and answers requests. It does
// nothing in a member that is not a node.
type service struct {
	m       *Member
	since   time.Time // when Join was called
	calls   *callTable
	streams *streams   // by the reply subject
	rivals  chan State // receives the states of other nodes with our name while we claim this name

	mu       sync.Mutex           // guards what follows
	subs     []*nats.Subscription // nil unless the node has its name and serves calls
	draining bool
}

// newService returns the service of a member. It serves only after begin.
func newService(m *Member) *service {
	return &service{m: m, since: time.Now(), calls: newCallTable(), streams: newStreams(maxServed), rivals: make(chan State, 1)}
}

// begin announces the node. If the node does not serve yet, begin first claims its name and
// subscribes to the requests that the node answers.
func (s *service) begin(ctx context.Context) error {
	if !s.serving() {
		if err := s.claim(ctx); err != nil {
			return err
		}
		name, instance := s.m.opt.Name, s.m.instance
		subs, err := s.m.subscribe(map[string]nats.MsgHandler{
			join(verbWho, "*"): s.handleWhoAll,
			requestSubject(name, anyInstance, verbWho, "*"):   s.handleWho,
			requestSubject(name, anyInstance, verbDrain, "*"): s.handleDrain,
			requestSubject(name, instance, verbCall, "*"):     s.handleCall,
			requestSubject(name, instance, verbCancel, "*"):   s.handleCancel,
			requestSubject(name, instance, verbStream, "*"):   s.handleStream,
			s.undeliveredTo(">"):                              s.handleUndelivered,
		})
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.subs = subs
		s.mu.Unlock()
	}
	return s.announce(State{})
}

// serving reports whether the node has its name and serves calls.
func (s *service) serving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.subs != nil
}

// leave makes the other members forget this node, and ends the service. Calls that are running
// still get answers.
func (s *service) leave() {
	if !s.serving() {
		return
	}
	if err := errors.Join(s.m.deleteRecord(), s.announce(State{Leaving: true})); err != nil {
		s.m.log.Debug("fleet: leave", "err", err)
	}
	s.end()
}

// end closes the streams and ends the subscriptions.
func (s *service) end() {
	s.mu.Lock()
	subs := s.subs
	s.subs = nil
	s.mu.Unlock()
	endAll(s.streams)
	for _, sub := range subs {
		if err := sub.Unsubscribe(); err != nil {
			s.m.log.Debug("fleet: unsubscribe", "subject", sub.Subject, "err", err)
		}
	}
}

func (s *service) state() State {
	var out State
	if s.m.opt.State != nil {
		out = s.m.opt.State()
	}
	out.Name, out.Labels, out.Instance, out.Protocol = s.m.opt.Name, s.m.opt.Labels, s.m.instance, protocol
	out.Age = time.Since(s.since).Milliseconds()
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Draining = s.draining
	return out
}

// announce publishes this node's state to all members, with Claim and Leaving taken from add.
func (s *service) announce(add State) error {
	state := s.state()
	state.Claim, state.Leaving = add.Claim, add.Leaving
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return s.m.conn.Publish(stateSubject(s.m.opt.Name), data)
}

// mayReply reports whether the reply subject of a message is allowed: it must be one on
// which this node answers the message's sender.
func (s *service) mayReply(msg *nats.Msg, sender string) bool {
	return sender != "" && strings.HasPrefix(msg.Reply, replyPrefix(s.m.opt.Name, sender, ""))
}

// handleWhoAll answers a question to all nodes with this node's state, if the message's selector
// matches this node. The reply subject of such a question has anyInstance in place of the node's
// name.
func (s *service) handleWhoAll(msg *nats.Msg) {
	if !Matches(string(msg.Data), s.state()) {
		return
	}
	sender := token(msg.Subject, whoIndex)
	msg.Reply = strings.Replace(msg.Reply, replyPrefix(anyInstance, sender, ""), replyPrefix(s.m.opt.Name, sender, ""), 1)
	s.replyState(msg, sender)
}

// handleWho answers a question to this node alone with its state.
func (s *service) handleWho(msg *nats.Msg) { s.replyState(msg, token(msg.Subject, senderIndex)) }

func (s *service) replyState(msg *nats.Msg, sender string) {
	if !s.mayReply(msg, sender) {
		return
	}
	data, err := json.Marshal(s.state())
	if err == nil {
		err = s.m.conn.Publish(msg.Reply, data)
	}
	if err != nil {
		s.m.log.Warn("fleet: answer", "err", err)
	}
}

// allows returns an error if the request in a message is limited to other hosts.
func (s *service) allows(msg *nats.Msg) error {
	return State{Name: s.m.opt.Name, Labels: s.m.opt.Labels}.allowed(msg.Header.Get(headerHosts))
}

// handleCall runs a call. If the call is known already, because a gateway has sent it again,
// handleCall only replies.
func (s *service) handleCall(msg *nats.Msg) {
	sender, id := token(msg.Subject, senderIndex), msg.Header.Get(headerCall)
	if !s.mayReply(msg, sender) || id == "" || len(id) > maxIdentity {
		return
	}
	if err := s.allows(msg); err != nil {
		s.answer(newAnswer(msg.Reply, kindRefused, []byte(err.Error())))
		return
	}
	ctx, cancel := context.WithCancel(s.m.ctx)
	c, first := s.calls.begin(id, msg.Reply, msg.Data, cancel)
	switch {
	case c == nil:
		cancel()
		s.answer(newAnswer(msg.Reply, kindRefused, fmt.Appendf(nil, "%s is running %d calls, which is the maximum; try again later", s.m.opt.Name, maxRunning)))
	case first:
		go s.run(ctx, c)
	default:
		cancel()
		s.answerAgain(c)
	}
}

// handleCancel cancels a call. If the call has ended, handleCancel calls markUnread, because the
// caller no longer waits for the answer.
func (s *service) handleCancel(msg *nats.Msg) {
	if c := s.calls.cancel(msg.Header.Get(headerCall)); c != nil {
		s.markUnread(c)
	}
}

// undeliveredTo returns the subject on which NATS reports that nobody has received an answer that
// was sent to the subject reply.
func (s *service) undeliveredTo(reply string) string {
	return inboxPrefix(s.m.opt.Name) + "." + s.m.instance + "." + reply
}

// handleUndelivered handles the report that nobody has received an answer.
func (s *service) handleUndelivered(msg *nats.Msg) {
	c := s.calls.repliedTo(strings.TrimPrefix(msg.Subject, s.undeliveredTo("")))
	if c != nil && noResponders(msg) {
		s.markUnread(c)
	}
}

// markUnread calls Options.HandleUnread for a call whose answer did not reach its caller, and forgets the
// call if it must be handled again when it is repeated.
func (s *service) markUnread(c *servedCall) {
	if s.m.opt.HandleUnread != nil && s.m.opt.HandleUnread(c.body) {
		s.calls.drop(c)
	}
}

// answerAgain replies to a repeated call: with its answer, or with a beat while it is running.
func (s *service) answerAgain(c *servedCall) {
	select {
	case <-c.done:
		s.sendAnswer(c)
	default:
		s.answer(newAnswer(s.calls.replyTo(c), kindBeat, nil))
	}
}

func (s *service) run(ctx context.Context, c *servedCall) {
	defer c.cancel()
	go s.beat(c)
	answer := s.m.opt.Handle(ctx, c.body, s.maxAnswerSize(), func(data []byte) {
		s.answer(newAnswer(s.calls.replyTo(c), kindProgress, data))
	})
	if s.m.ctx.Err() != nil {
		return // the caller will ask this node's next run
	}
	if answer == nil && ctx.Err() == nil {
		answer = []byte{}
	}
	s.calls.end(c, answer)
	s.sendAnswer(c)
}

// beat reports to the caller every beatEvery that the call is running.
func (s *service) beat(c *servedCall) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.answer(newAnswer(s.calls.replyTo(c), kindBeat, nil))
		case <-c.done:
			return
		case <-s.m.ctx.Done():
			return
		}
	}
}

// sendAnswer sends a call's answer. For a call without an answer, it sends nothing: if the caller
// still waits, it sends the call again.
func (s *service) sendAnswer(c *servedCall) {
	if c.answer == nil {
		return
	}
	reply := s.calls.replyTo(c)
	all := parts(reply, c.answer, s.m.maxData())
	all[len(all)-1].Reply = s.undeliveredTo(reply)
	for _, msg := range all {
		s.answer(msg)
	}
}

// maxAnswerSize returns the maximum size of an answer, in bytes.
func (s *service) maxAnswerSize() int { return min(maxAnswer, maxParts*s.m.maxData()) }

// answer sends one message to a caller. It only logs an error, because the caller sends the call
// again if it gets no answer.
func (s *service) answer(msg *nats.Msg) {
	if err := s.m.conn.PublishMsg(msg); err != nil && s.m.ctx.Err() == nil {
		s.m.log.Debug("fleet: answer", "err", err)
	}
}
