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

// errInstanceGone ends a stream whose node instance is gone.
var errInstanceGone = errors.New("this instance of the node is gone")

// Dial opens a stream to a node and passes hello to the node's Options.HandleStream. Closing the
// connection ends the stream. When messages are lost, or nothing is received from the node for
// streamSilence, the stream breaks: the last bytes written may not have arrived, and Read returns an
// error with the reason. After the node has closed the stream, Read returns io.EOF. When this
// member or the node has too many streams, the owner with the most streams loses one.
func (m *Member) Dial(ctx context.Context, host string, owner share.Owner, hello []byte) (net.Conn, error) {
	if len(hello) > streamChunk {
		return nil, fmt.Errorf("%w: %d bytes to open a stream, at most %d", ErrTooLarge, len(hello), streamChunk)
	}
	conn, err := m.dial(ctx, host, owner, hello)
	if !errors.Is(err, errInstanceGone) {
		return conn, err
	}
	m.nodes.markSilent(host, time.Now()) // so that dial asks the node for its current instance
	if conn, err = m.dial(ctx, host, owner, hello); errors.Is(err, errInstanceGone) {
		err = m.unreachable(ctx, host)
	}
	return conn, err
}

// dial opens a stream to the last known instance of a node.
func (m *Member) dial(ctx context.Context, host string, owner share.Owner, hello []byte) (net.Conn, error) {
	n, err := m.callableState(ctx, host)
	if err != nil {
		return nil, err
	}
	key := rand.Text()
	s, conn := m.newStream(m.dialed, key, owner, requestSubject(n.Name, n.Instance, verbStream, m.opt.Name), m.replySubject(n.Name, key), n.Name)
	msg := nats.NewMsg(s.to)
	msg.Reply = s.reply
	m.limitHosts(ctx, msg)
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
		s.start()
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

// handle handles a message from the stream's node, and drops messages from other nodes.
func (s *stream) handle(from string, msg *nats.Msg) {
	switch {
	case from != s.node:
	case noResponders(msg):
		s.end(errInstanceGone, true)
	default:
		s.receive(msg.Data)
	}
}

// handleStream handles a gateway's message for a stream that this node serves, or that the
// message opens.
func (s *service) handleStream(msg *nats.Msg) {
	sender := token(msg.Subject, senderIndex)
	if !s.mayReply(msg, sender) || len(msg.Data) < streamHead {
		return
	}
	stream, ok := s.streams.Get(msg.Reply)
	switch {
	case ok:
		stream.receive(msg.Data)
	case msg.Data[0] == streamOpen:
		if err := s.accept(msg, sender); err != nil {
			s.refuse(msg, err)
		}
	case msg.Data[0] != streamEnd:
		s.refuse(msg, errStreamUnknown)
	}
}

// refuse sends a gateway the reason why its stream is not served.
func (s *service) refuse(msg *nats.Msg, why error) {
	s.answer(&nats.Msg{Subject: msg.Reply, Data: streamMessage(streamEnd, 0, []byte(why.Error()))})
}

// accept serves a stream that a gateway opens.
func (s *service) accept(msg *nats.Msg, sender string) error {
	if err := s.allows(msg); err != nil {
		return err
	}
	if s.m.opt.HandleStream == nil {
		return fmt.Errorf("%s serves no streams", s.m.opt.Name)
	}
	stream, conn := s.m.newStream(s.streams, msg.Reply, share.Owner{Name: sender + " " + msg.Header.Get(headerOwner)}, msg.Reply, "", "")
	stream.start()
	stream.reportTaken(0)
	go s.m.opt.HandleStream(conn, sender, msg.Data[streamHead:])
	return nil
}
