package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/share"
)

// errNobody ends a stream to a run of a node that is gone.
var errNobody = errors.New("that run of the node is gone")

// Dial opens a stream to a node, which learns from hello what it is for. Closing the
// connection ends the stream. A stream also ends when messages were lost, or when nothing
// is heard of the node: what was written last may or may not have arrived then.
func (m *Member) Dial(ctx context.Context, host string, hello []byte) (net.Conn, error) {
	if len(hello) > streamChunk {
		return nil, fmt.Errorf("%w: %d bytes to open a stream, at most %d", ErrTooLarge, len(hello), streamChunk)
	}
	conn, err := m.dial(ctx, host, hello)
	if !errors.Is(err, errNobody) {
		return conn, err
	}
	m.lost(host) // so that it is asked which run is there
	if conn, err = m.dial(ctx, host, hello); errors.Is(err, errNobody) {
		err = m.unreachable(ctx, host)
	}
	return conn, err
}

// dial is Dial to the run of a node that was there last.
func (m *Member) dial(ctx context.Context, host string, hello []byte) (net.Conn, error) {
	n, err := m.callable(ctx, host)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.boxed++
	key := strconv.Itoa(m.boxed)
	m.mu.Unlock()
	s, conn := m.newStream(toNode(n.Name, n.Instance, verbStream, m.opt.Name), repliesTo(n.Name, m.opt.Name, m.instance)+"."+key, n.Name)
	owner := ownerOf(ctx)
	m.dialed.add(key, s, owner)
	msg := nats.NewMsg(s.to)
	msg.Reply = s.reply
	if hosts := hostsOf(ctx); hosts != "" {
		msg.Header.Set(headerHosts, hosts)
	}
	msg.Header.Set(headerOwner, owner.Name)
	msg.Data = streamMessage(streamOpen, 0, hello)
	if err := m.conn.PublishMsg(msg); err != nil {
		s.end(err, true)
		return nil, fmt.Errorf("fleet: %w", err)
	}
	limit := time.NewTimer(askLimit)
	defer limit.Stop()
	select {
	case <-s.accepted:
		s.begin()
		return conn, nil
	case <-s.done:
		return nil, s.reason()
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-m.ctx.Done():
		err = ErrLeft
	case <-limit.C:
		err = m.unreachable(ctx, host)
	}
	s.end(err, false)
	return nil, err
}

// answer takes a message of a stream's node. Those of others are dropped.
func (s *stream) answer(from string, msg *nats.Msg) {
	switch {
	case from != s.node:
	case nobody(msg):
		s.end(errNobody, true)
	default:
		s.got(msg.Data)
	}
}

// streamed takes a message for a stream that a gateway has opened here, or opens.
func (m *Member) streamed(msg *nats.Msg) {
	sender := token(msg.Subject, senderPlace)
	if !m.mayReply(msg, sender) || len(msg.Data) < streamHead {
		return
	}
	s := m.served.get(msg.Reply)
	switch {
	case s != nil:
		s.got(msg.Data)
	case msg.Data[0] == streamOpen:
		if err := m.accept(msg, sender); err != nil {
			m.refuse(msg, err)
		}
	case msg.Data[0] != streamEnd:
		m.refuse(msg, errStreamGone)
	}
}

// refuse ends a stream that is not served.
func (m *Member) refuse(msg *nats.Msg, why error) {
	m.answer(&nats.Msg{Subject: msg.Reply, Data: streamMessage(streamEnd, 0, []byte(why.Error()))})
}

// accept serves a stream that a gateway opens.
func (m *Member) accept(msg *nats.Msg, sender string) error {
	if err := m.state().allowed(msg.Header.Get(headerHosts)); err != nil {
		return err
	}
	if m.opt.Stream == nil {
		return fmt.Errorf("%s serves no streams", m.opt.Name)
	}
	s, conn := m.newStream(msg.Reply, "", "")
	m.served.add(msg.Reply, s, share.Owner{Name: sender + " " + msg.Header.Get(headerOwner)})
	s.begin()
	s.tell(0)
	go m.opt.Stream(conn, sender, msg.Data[streamHead:])
	return nil
}
