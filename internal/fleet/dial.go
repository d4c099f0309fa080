package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/share"
)

// errNobody ends a stream whose node instance is gone.
var errNobody = errors.New("this instance of the node is gone")

// Dial opens a stream to a node and passes hello to the node's Options.Stream. Closing the
// connection ends the stream. A stream also ends when messages are lost, or when nothing is
// received from the node for a while. Then the last bytes written may not have arrived, and Read
// returns an error with the reason. After the node has closed the stream, Read returns io.EOF.
func (m *Member) Dial(ctx context.Context, host string, hello []byte) (net.Conn, error) {
	if len(hello) > streamChunk {
		return nil, fmt.Errorf("%w: %d bytes to open a stream, at most %d", ErrTooLarge, len(hello), streamChunk)
	}
	conn, err := m.dial(ctx, host, hello)
	if !errors.Is(err, errNobody) {
		return conn, err
	}
	m.lost(host) // so that dial asks for the current instance
	if conn, err = m.dial(ctx, host, hello); errors.Is(err, errNobody) {
		err = m.unreachable(ctx, host)
	}
	return conn, err
}

// dial opens a stream to the last known instance of a node.
func (m *Member) dial(ctx context.Context, host string, hello []byte) (net.Conn, error) {
	n, err := m.callable(ctx, host)
	if err != nil {
		return nil, err
	}
	key, owner := rand.Text(), ownerOf(ctx)
	s, conn := m.newStream(m.dialed, key, owner, toNode(n.Name, n.Instance, verbStream, m.opt.Name), repliesTo(n.Name, m.opt.Name, m.instance)+"."+key, n.Name)
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
		return dialedConn{conn, s}, nil
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

// A dialedConn is the connection that Dial returns.
type dialedConn struct {
	net.Conn
	stream *stream
}

// Read implements net.Conn.
func (c dialedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if why := c.stream.reason(); err == io.EOF && why != nil {
		err = fmt.Errorf("the connection to node %s broke: %w; connect again", c.stream.node, why)
	}
	return n, err
}

// answer handles a message from a stream's node, and drops messages from other nodes.
func (s *stream) answer(from string, msg *nats.Msg) {
	switch {
	case from != s.node:
	case nobody(msg):
		s.end(errNobody, true)
	default:
		s.got(msg.Data)
	}
}

// streamed handles a gateway's message for a stream that this node serves, or that the
// message opens.
func (m *Member) streamed(msg *nats.Msg) {
	sender := token(msg.Subject, senderPlace)
	if !m.mayReply(msg, sender) || len(msg.Data) < streamHead {
		return
	}
	s, ok := m.served.Get(msg.Reply)
	switch {
	case ok:
		s.got(msg.Data)
	case msg.Data[0] == streamOpen:
		if err := m.accept(msg, sender); err != nil {
			m.refuse(msg, err)
		}
	case msg.Data[0] != streamEnd:
		m.refuse(msg, errStreamGone)
	}
}

// refuse tells a gateway why its stream is not served.
func (m *Member) refuse(msg *nats.Msg, why error) {
	m.answer(&nats.Msg{Subject: msg.Reply, Data: streamMessage(streamEnd, 0, []byte(why.Error()))})
}

// accept serves a stream that a gateway opens.
func (m *Member) accept(msg *nats.Msg, sender string) error {
	if err := m.self().allowed(msg.Header.Get(headerHosts)); err != nil {
		return err
	}
	if m.opt.Stream == nil {
		return fmt.Errorf("%s serves no streams", m.opt.Name)
	}
	s, conn := m.newStream(m.served, msg.Reply, share.Owner{Name: sender + " " + msg.Header.Get(headerOwner)}, msg.Reply, "", "")
	s.begin()
	s.tell(0)
	go m.opt.Stream(conn, sender, msg.Data[streamHead:])
	return nil
}
