package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// quietLimit is how long a node may say nothing before it is asked again.
	quietLimit = 5 * time.Second
	// awayLimit is how long a node may be away before a call is given up.
	awayLimit = 15 * time.Second
	// askLimit is how long a node may take to say how it is.
	askLimit = 2 * time.Second
	// askPause is the time between two tries to find a node that is away.
	askPause = 500 * time.Millisecond
)

// A mailbox is where the answers to one question come in.
type mailbox struct {
	from string // the node that is asked, "" for all
	in   chan *nats.Msg
	key  string
}

// boxWho is the mailbox for those who answer who is there.
const boxWho = "who"

// maxMail bounds the messages in a mailbox. A node that sends more than are read loses
// them: what is missing is asked for again.
const maxMail = 512

// replies returns the subject on which all nodes answer: each puts its name in the place
// of anyInstance.
func (m *Member) replies(box string) string {
	return repliesTo(anyInstance, m.opt.Name, m.instance) + "." + box
}

// open makes a mailbox for a node's answers, "" for one answer of each node.
func (m *Member) open(from string) *mailbox {
	room := maxMail
	if from == "" {
		room = maxNodes
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.boxed++
	b := &mailbox{from: from, in: make(chan *nats.Msg, room), key: strconv.Itoa(m.boxed)}
	m.boxes[b.key] = b
	return b
}

// shut removes a mailbox.
func (m *Member) shut(b *mailbox) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.boxes, b.key)
}

// heardReply puts an answer into its mailbox.
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
	if s := m.dialed.get(key); s != nil {
		s.answer(node, msg)
		return
	}
	if b == nil || b.from != "" && b.from != node {
		return // an answer that came late, or from another than was asked
	}
	select {
	case b.in <- msg:
	default:
	}
}

// Call has a node make a call, and returns its answer. The identity is the same for all
// repetitions of the call, and no other call has it. Progress, which may be nil, is told
// what the node reports. An error with a method Sent says that the call may have been made
// all the same; after all others it was not.
func (m *Member) Call(ctx context.Context, host, id string, body []byte, progress func([]byte)) ([]byte, error) {
	if len(body) > m.room() {
		return nil, fmt.Errorf("%w: the call has %d bytes, and %d go through the fleet's NATS server at once; send it in smaller pieces", ErrTooLarge, len(body), m.room())
	}
	b := m.open(host)
	defer m.shut(b)
	c := &calling{m: m, box: b, id: id, body: body, progress: progress, heard: time.Now()}
	answer, err := c.run(ctx)
	if err != nil && c.sent > 0 {
		err = sentError{err}
	}
	return answer, err
}

// calling is a call under way.
type calling struct {
	m        *Member
	box      *mailbox
	id       string
	body     []byte
	progress func([]byte)
	instance string    // that the call was sent to last
	sent     int       // times that the call was sent and perhaps taken
	heard    time.Time // when the node was heard of last
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
			if errors.Is(context.Cause(ctx), context.Canceled) { // or else this server ends, and the next one goes on
				c.cancel()
			}
			return nil, context.Cause(ctx)
		case <-c.m.ctx.Done():
			return nil, ErrLeft
		case msg := <-c.box.in:
			if nobody(msg) {
				c.sent--
				if err := c.again(ctx); err != nil {
					return nil, err
				}
				continue
			}
			quiet.Reset(quietLimit)
			if whole, err := c.take(msg); whole || err != nil {
				return c.answer.bytes(), err
			}
		case <-quiet.C:
			if err := c.again(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// take takes a message of the answer, and reports whether it is the last.
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
			err = fmt.Errorf("the answer of host %s cannot be read: %w", c.box.from, err)
		}
	}
	return whole, err
}

// send sends the call to the run of the node that is there.
func (c *calling) send(ctx context.Context) error {
	if !c.m.awaitConnection(ctx) { // what is sent now arrives when nobody waits for it any more
		return c.m.unreachable(ctx, c.box.from)
	}
	s, err := c.m.callable(ctx, c.box.from)
	if err != nil {
		return err
	}
	c.instance = s.Instance
	msg := nats.NewMsg(toNode(c.box.from, c.instance, verbCall, c.m.opt.Name))
	msg.Reply = repliesTo(c.box.from, c.m.opt.Name, c.m.instance) + "." + c.box.key
	msg.Header.Set(headerCall, c.id)
	if hosts := hostsOf(ctx); hosts != "" {
		msg.Header.Set(headerHosts, hosts)
	}
	msg.Data = c.body
	if err := c.m.conn.PublishMsg(msg); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	c.sent++
	return nil
}

// callable returns the state of a node that the context's client may use, and that this
// member understands. A client that may not use the node is not told whether it exists.
func (m *Member) callable(ctx context.Context, host string) (State, error) {
	s, ok := m.present(host)
	var err error
	if !ok || s.understood() != nil { // it may have been upgraded
		if s, err = m.State(ctx, host); err != nil {
			s = m.Known(host)
		}
	}
	return s, cmp.Or(s.allowed(hostsOf(ctx)), err, s.understood())
}

// again sends the call again, after the node was silent or its run was gone. Its
// identity tells the node that it is the same.
func (c *calling) again(ctx context.Context) error {
	for {
		c.m.lost(c.box.from) // so that it is asked which run is there
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

// cancel ends the node's side of the call.
func (c *calling) cancel() {
	msg := nats.NewMsg(toNode(c.box.from, c.instance, verbCancel, c.m.opt.Name))
	msg.Header.Set(headerCall, c.id)
	if err := c.m.conn.PublishMsg(msg); err != nil {
		c.m.log.Debug("fleet: cancel", "err", err)
	}
}

// State asks one node how it is.
func (m *Member) State(ctx context.Context, host string) (State, error) {
	return m.request(ctx, host, verbWho, nil)
}

// request sends a node a question that it answers with how it is.
func (m *Member) request(ctx context.Context, host, verb string, body []byte) (State, error) {
	if err := CheckName(host); err != nil {
		return State{}, m.NoHost(ctx, host)
	}
	b := m.open(host)
	defer m.shut(b)
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

// unreachable says that a node does not answer.
func (m *Member) unreachable(ctx context.Context, host string) error {
	m.lost(host)
	if !m.conn.IsConnected() {
		return fmt.Errorf("host %s is %w: %w", host, ErrUnreachable, ErrNoConnection)
	}
	m.mu.Lock()
	k := m.nodes[host]
	if k != nil && k.left {
		delete(m.nodes, host)
		k = nil
	}
	m.mu.Unlock()
	if k == nil {
		return m.NoHost(ctx, host)
	}
	if why := k.lost(); why != "" {
		return fmt.Errorf("host %s is %w (%s), and its sessions with it; start others elsewhere", host, ErrLost, why)
	}
	return fmt.Errorf("host %s is %w%s: its glasstty or its connection is gone; its sessions come back with it "+
		"(glasstty fleet --watch tells when; if it never will: glasstty fleet forget %[1]s)", host, ErrUnreachable, k.node().AwayFor())
}
