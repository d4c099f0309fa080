package fleet

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// quietLimit is how long a node may send nothing before the call is sent again.
	quietLimit = 5 * time.Second
	// awayLimit is how long a node may be unreachable before a call to it fails.
	awayLimit = 15 * time.Second
	// askLimit is how long a node may take to answer a request for its state.
	askLimit = 2 * time.Second
	// askPause is the time between two attempts to reach an unreachable node.
	askPause = 500 * time.Millisecond
)

// A mailbox receives the answers to one question.
type mailbox struct {
	from string // the node that is asked; "" for all nodes
	in   chan *nats.Msg
	key  string // the last token of the reply subject; random, see package comment
}

// boxWho is the key of the mailbox for the states of all nodes, which enter asks for.
const boxWho = "who"

// maxMail is the maximum number of messages in a mailbox. Further messages are dropped; the
// missing parts are requested again.
const maxMail = 512

// replies returns the reply subject of a question to all nodes. Each node replaces anyInstance with
// its name.
func (m *Member) replies(box string) string {
	return repliesTo(anyInstance, m.opt.Name, m.instance) + "." + box
}

// open creates a mailbox for a node's answers, or for one answer from each node if from is "".
func (m *Member) open(from string) *mailbox {
	room := maxMail
	if from == "" {
		room = maxNodes
	}
	b := &mailbox{from: from, in: make(chan *nats.Msg, room), key: rand.Text()}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.boxes[b.key] = b
	return b
}

// removeBox removes a mailbox.
func (m *Member) removeBox(b *mailbox) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.boxes, b.key)
}

// heardReply puts an answer into its mailbox, or passes it to the stream that it belongs to.
func (m *Member) heardReply(msg *nats.Msg) {
	node, key := token(msg.Subject, nodePlace), token(msg.Subject, senderPlace+1)
	if key == boxWho {
		if s, ok := readState(msg.Subject, msg.Data); ok {
			m.note(s)
		}
		return
	}
	m.mu.Lock()
	b := m.boxes[key]
	m.mu.Unlock()
	if s, ok := m.dialed.Get(key); ok {
		s.answer(node, msg)
		return
	}
	if b == nil || b.from != "" && b.from != node {
		return // a late answer, or one from another node
	}
	select {
	case b.in <- msg:
	default:
	}
}

// Call makes a node run a call, and returns its answer. All repetitions of a call have the same
// id, which no other call may have. progress, which may be nil, is called with the node's progress
// reports. When ctx ends, the node cancels the call, unless the cause is Options.Stopping. If an
// error has a Sent method, the call may have been run; after any other error, it was not run.
func (m *Member) Call(ctx context.Context, host, id string, body []byte, progress func([]byte)) ([]byte, error) {
	if len(body) > m.room() {
		return nil, fmt.Errorf("%w: the call has %d bytes, and the fleet's NATS server accepts %d; send it in smaller pieces", ErrTooLarge, len(body), m.room())
	}
	b := m.open(host)
	defer m.removeBox(b)
	c := &calling{m: m, box: b, id: id, body: body, progress: progress, began: time.Now(), heard: time.Now()}
	answer, err := c.run(ctx)
	if err != nil && c.sent > 0 {
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), m.opt.Stopping) {
			c.cancel()
		}
		err = sentError{err}
	}
	return answer, err
}

// A calling is a call in progress, at the caller.
type calling struct {
	m        *Member
	box      *mailbox
	id       string
	body     []byte
	progress func([]byte)
	instance string // the instance to which the call was last sent
	sent     int    // how many times the call was sent to an instance that may have run it
	began    time.Time
	heard    time.Time // when the node last sent something
	answer   assembly
}

// run makes the call.
func (c *calling) run(ctx context.Context) ([]byte, error) {
	if err := c.send(ctx); err != nil {
		return nil, err
	}
	quiet := time.NewTicker(quietLimit)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-c.m.ctx.Done():
			return nil, ErrLeft
		case msg := <-c.box.in:
			if nobody(msg) {
				c.sent--
				if err := c.resend(ctx); err != nil {
					return nil, err
				}
				continue
			}
			quiet.Reset(quietLimit)
			if whole, err := c.take(msg); whole || err != nil {
				return bytes.Join(c.answer.parts, nil), err
			}
		case <-quiet.C:
			if err := c.resend(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// take handles a message of the answer, and reports whether the answer is complete.
func (c *calling) take(msg *nats.Msg) (whole bool, err error) {
	c.heard = time.Now()
	switch msg.Header.Get(headerKind) {
	case kindProgress:
		if c.progress != nil {
			c.progress(msg.Data)
		}
	case kindRefused:
		c.sent--
		return false, errors.New(string(msg.Data[:min(len(msg.Data), maxState)]))
	case kindPart:
		whole, err = c.answer.add(msg)
		if err != nil {
			err = fmt.Errorf("invalid answer from host %s: %w", c.box.from, err)
		}
	}
	return whole, err
}

// send sends the call to the node's current instance.
func (c *calling) send(ctx context.Context) error {
	if !c.m.awaitConnection(ctx) { // a message sent while disconnected would arrive too late
		return c.m.unreachable(ctx, c.box.from)
	}
	s, err := c.m.callable(ctx, c.box.from)
	if err != nil {
		return err
	}
	body := c.body
	if again := c.m.opt.Again; c.instance != "" && again != nil {
		body = again(body, time.Since(c.began))
	}
	c.instance = s.Instance
	msg := nats.NewMsg(toNode(c.box.from, c.instance, verbCall, c.m.opt.Name))
	msg.Reply = repliesTo(c.box.from, c.m.opt.Name, c.m.instance) + "." + c.box.key
	msg.Header.Set(headerCall, c.id)
	if hosts := hostsOf(ctx); hosts != "" {
		msg.Header.Set(headerHosts, hosts)
	}
	msg.Data = body
	if err := c.m.conn.PublishMsg(msg); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	c.sent++
	return nil
}

// callable returns the state of a node. It returns an error if the node does not answer, has
// another protocol version, or may not be used by the context's client. A client that may not use
// the node does not learn whether it exists.
func (m *Member) callable(ctx context.Context, host string) (State, error) {
	s, ok := m.present(host)
	var err error
	if !ok || s.understood() != nil { // it may have been upgraded
		if s, err = m.State(ctx, host); err != nil {
			s = m.Known(host).State
		}
	}
	return s, cmp.Or(s.allowed(hostsOf(ctx)), err, s.understood())
}

// resend sends the call again, after the node was silent or its instance was gone. The node
// recognises the call by its identity.
func (c *calling) resend(ctx context.Context) error {
	for {
		c.m.lost(c.box.from) // so that send asks for the current instance
		err := c.send(ctx)
		if !errors.Is(err, ErrUnreachable) || c.sent == 0 || time.Since(c.heard) > awayLimit {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(askPause):
		}
	}
}

// cancel cancels the call at the node.
func (c *calling) cancel() {
	msg := nats.NewMsg(toNode(c.box.from, c.instance, verbCancel, c.m.opt.Name))
	msg.Header.Set(headerCall, c.id)
	if err := c.m.conn.PublishMsg(msg); err != nil {
		c.m.log.Debug("fleet: cancel", "err", err)
	}
}

// State asks a node for its state.
func (m *Member) State(ctx context.Context, host string) (State, error) {
	return m.request(ctx, host, verbWho, nil)
}

// request sends a node a question that it answers with its state.
func (m *Member) request(ctx context.Context, host, verb string, body []byte) (State, error) {
	if err := CheckName(host); err != nil {
		return State{}, m.NoHost(ctx, host)
	}
	b := m.open(host)
	defer m.removeBox(b)
	reply := repliesTo(host, m.opt.Name, m.instance) + "." + b.key
	if err := m.conn.PublishRequest(toNode(host, anyInstance, verb, m.opt.Name), reply, body); err != nil {
		return State{}, fmt.Errorf("fleet: %w", err)
	}
	limit := time.NewTimer(askLimit)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return State{}, context.Cause(ctx)
	case <-m.ctx.Done():
		return State{}, ErrLeft
	case msg := <-b.in:
		if s, ok := readState(msg.Subject, msg.Data); ok && !nobody(msg) {
			m.note(s)
			return s, nil
		}
	case <-limit.C:
	}
	return State{}, m.unreachable(ctx, host)
}

// unreachable records that a node does not answer, and returns the error to report.
func (m *Member) unreachable(ctx context.Context, host string) error {
	if err := m.Connected(); err != nil {
		return fmt.Errorf("host %s is %w: %w", host, ErrUnreachable, err)
	}
	m.lost(host)
	if err := m.Recall(ctx); err != nil { // it may be known only from its record
		return err
	}
	m.mu.Lock()
	k := m.nodes[host]
	m.mu.Unlock()
	if k == nil {
		return m.NoHost(ctx, host)
	}
	if why := k.lostReason(); why != "" {
		return fmt.Errorf("host %s is %w (%s), and its sessions with it; start others elsewhere", host, ErrLost, why)
	}
	return fmt.Errorf("host %s is %w%s: its glasstty has stopped or lost its connection; its sessions return with it "+
		"(glasstty fleet --watch shows when; if it will not return: glasstty fleet forget %[1]s)", host, ErrUnreachable, k.AwayFor())
}
