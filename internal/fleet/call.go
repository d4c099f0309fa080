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
	// awayLimit is how long a node may be unreachable before a call that was sent to it fails.
	awayLimit = 15 * time.Second
	// askLimit is how long a node may take to report its state or to accept a stream, how long NATS
	// may take to answer, and how long a call waits for a connection to NATS.
	askLimit = 2 * time.Second
	// askPause is the time between two attempts to reach an unreachable node.
	askPause = 500 * time.Millisecond
)

// A replyHandler handles a reply from a node. It must not wait.
type replyHandler func(node string, msg *nats.Msg)

// whoKey is the last token of the reply subject when enter asks all nodes for their states.
const whoKey = "who"

// maxReplies is the maximum number of queued replies to a call. Further replies are dropped; if
// parts of the answer are missing, the call is sent again.
const maxReplies = 512

// awaitReplies returns a reply subject for a request to a node, or to all nodes if node is anyInstance.
// Until stop is called, replies receives the replies. Those that find limit others waiting are dropped.
func (m *Member) awaitReplies(node string, limit int) (reply string, replies <-chan *nats.Msg, stop func()) {
	key := rand.Text() // other nodes must not guess it, see the package comment
	in := make(chan *nats.Msg, limit)
	m.replyHandlers.Store(key, replyHandler(func(from string, msg *nats.Msg) {
		if node != anyInstance && from != node {
			return
		}
		select {
		case in <- msg:
		default:
		}
	}))
	return m.replySubject(node, key), in, func() { m.replyHandlers.Delete(key) }
}

// handleReply passes a reply to its handler, or drops the reply if nobody waits for it any more.
func (m *Member) handleReply(msg *nats.Msg) {
	if handle, ok := m.replyHandlers.Load(token(msg.Subject, replyKeyIndex)); ok {
		handle.(replyHandler)(token(msg.Subject, nodeIndex), msg)
	}
}

// replySubject returns the subject on which a node replies to this member. In a question to all
// nodes, node is anyInstance, which each node replaces with its name.
func (m *Member) replySubject(node, key string) string {
	return replyPrefix(node, m.opt.Name, m.instance) + "." + key
}

// Call makes a node run a call, and returns the call's answer. All repetitions of a call have the same
// id, which no other call may have. progress, which may be nil, is called with the node's progress
// reports. When ctx ends, the node cancels the call, unless the cause is Options.Stopping. If an
// error has a Sent method, the call may have been run; after any other error, it was not run.
func (m *Member) Call(ctx context.Context, host, id string, body []byte, progress func([]byte)) ([]byte, error) {
	if len(body) > m.maxData() {
		return nil, fmt.Errorf("%w: the call has %d bytes, and the fleet's NATS server accepts %d; send it in smaller pieces", ErrTooLarge, len(body), m.maxData())
	}
	reply, replies, stop := m.awaitReplies(host, maxReplies)
	defer stop()
	c := &pendingCall{m: m, host: host, id: id, body: body, progress: progress, reply: reply, replies: replies, began: time.Now(), heard: time.Now()}
	answer, err := c.run(ctx)
	if err != nil && c.sent > 0 {
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), m.opt.Stopping) {
			c.cancel()
		}
		err = sentError{err}
	}
	return answer, err
}

// A pendingCall is a call that waits for its answer.
type pendingCall struct {
	m        *Member
	host     string
	id       string
	body     []byte
	progress func([]byte)
	reply    string // reply subject
	replies  <-chan *nats.Msg
	instance string // the instance to which the call was last sent
	sent     int    // how many times the call was sent to an instance that may have run it
	began    time.Time
	heard    time.Time // when the node last sent something
	answer   assembly
}

// run sends the call, if necessary again and again, and returns the answer.
func (c *pendingCall) run(ctx context.Context) ([]byte, error) {
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
		case msg := <-c.replies:
			if noResponders(msg) {
				c.sent--
				if err := c.resend(ctx); err != nil {
					return nil, err
				}
				continue
			}
			quiet.Reset(quietLimit)
			if complete, err := c.receive(msg); complete || err != nil {
				return bytes.Join(c.answer.parts, nil), err
			}
		case <-quiet.C:
			if err := c.resend(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// receive handles a reply, and reports whether the answer is complete.
func (c *pendingCall) receive(msg *nats.Msg) (complete bool, err error) {
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
		complete, err = c.answer.add(msg)
		if err != nil {
			err = fmt.Errorf("invalid answer from host %s: %w", c.host, err)
		}
	}
	return complete, err
}

// send sends the call to the node's current instance.
func (c *pendingCall) send(ctx context.Context) error {
	if !c.m.awaitConnection(ctx) { // nats.go would send the message later, perhaps too late
		return c.m.unreachable(ctx, c.host)
	}
	s, err := c.m.callableState(ctx, c.host)
	if err != nil {
		return err
	}
	body := c.body
	if again := c.m.opt.ResendBody; c.instance != "" && again != nil {
		body = again(body, time.Since(c.began))
	}
	c.instance = s.Instance
	msg := nats.NewMsg(requestSubject(c.host, c.instance, verbCall, c.m.opt.Name))
	msg.Reply = c.reply
	msg.Header.Set(headerCall, c.id)
	c.m.limitHosts(ctx, msg)
	msg.Data = body
	if err := c.m.conn.PublishMsg(msg); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	c.sent++
	return nil
}

// limitHosts limits the request in a message to the hosts that the context's client may use.
func (m *Member) limitHosts(ctx context.Context, msg *nats.Msg) {
	if hosts := m.opt.Hosts(ctx); hosts != "" {
		msg.Header.Set(headerHosts, hosts)
	}
}

// callableState returns the state of a node. It returns an error if the node does not answer, has
// another protocol version, or may not be used by the context's client. A client that may not use
// the node does not learn whether the node exists.
func (m *Member) callableState(ctx context.Context, host string) (State, error) {
	n := m.Known(host)
	s, err := n.State, error(nil)
	if n.Away() > 0 || s.checkVersion() != nil { // the node may have returned, or been upgraded
		if s, err = m.State(ctx, host); err != nil {
			s = m.Known(host).State
		}
	}
	return s, cmp.Or(s.allowed(m.opt.Hosts(ctx)), err, s.checkVersion())
}

// resend sends the call again, after the node was silent or its instance was gone. If the call may
// have been run, resend retries until the node has sent nothing for awayLimit.
func (c *pendingCall) resend(ctx context.Context) error {
	for {
		c.m.nodes.markSilent(c.host, time.Now()) // so that send asks the node for its current instance
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

// cancel asks the node to cancel the call.
func (c *pendingCall) cancel() {
	msg := nats.NewMsg(requestSubject(c.host, c.instance, verbCancel, c.m.opt.Name))
	msg.Header.Set(headerCall, c.id)
	if err := c.m.conn.PublishMsg(msg); err != nil {
		c.m.log.Debug("fleet: cancel", "err", err)
	}
}

// State asks a node for its state.
func (m *Member) State(ctx context.Context, host string) (State, error) {
	return m.request(ctx, host, verbWho, nil)
}

// request sends a node a request that the node answers with its state, and returns the state.
func (m *Member) request(ctx context.Context, host, verb string, body []byte) (State, error) {
	if err := CheckName(host); err != nil {
		return State{}, m.NoHost(ctx, host)
	}
	reply, replies, stop := m.awaitReplies(host, 1)
	defer stop()
	if err := m.conn.PublishRequest(requestSubject(host, anyInstance, verb, m.opt.Name), reply, body); err != nil {
		return State{}, fmt.Errorf("fleet: %w", err)
	}
	limit := time.NewTimer(askLimit)
	defer limit.Stop()
	select {
	case <-ctx.Done():
		return State{}, context.Cause(ctx)
	case <-m.ctx.Done():
		return State{}, ErrLeft
	case msg := <-replies:
		if s, ok := readState(msg.Subject, msg.Data); ok && !noResponders(msg) {
			m.nodes.note(s)
			return s, nil
		}
	case <-limit.C:
	}
	return State{}, m.unreachable(ctx, host)
}

// unreachable returns the error for a node that does not answer. If NATS answers, it records that the node is silent.
func (m *Member) unreachable(ctx context.Context, host string) error {
	if err := m.Connected(); err != nil {
		return fmt.Errorf("host %s is %w: %w", host, ErrUnreachable, err)
	}
	m.nodes.markSilent(host, time.Now())
	if err := m.AwaitRecords(ctx); err != nil { // the node may be known only from its record
		return err
	}
	n, ok := m.nodes.get(host)
	if !ok {
		return m.NoHost(ctx, host)
	}
	if why := n.lostReason(); why != "" {
		return fmt.Errorf("host %s is %w (%s), and its sessions with it; start others elsewhere", host, ErrLost, why)
	}
	return fmt.Errorf("host %s is %w%s: its glasstty has stopped or lost its connection; its sessions return with it "+
		"(glasstty fleet --watch shows when; if it will not return: glasstty fleet forget %[1]s)", host, ErrUnreachable, n.AwaySuffix())
}
