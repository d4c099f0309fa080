package keeper

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// helloLimit is how long a connection may take to send its hello.
const helloLimit = 5 * time.Second

// A peer is the keeper's side of the connection to a server.
type peer struct {
	k        *Keeper
	link     *link
	pid      int            // of the server, as its hello says
	gone     chan struct{}  // closed when the server sends no more messages
	requests sync.WaitGroup // counts the requests that answerLater is running
}

// hello reads the first message of a server.
func (p *peer) hello() (h hello, err error) {
	if err := p.link.conn.SetReadDeadline(time.Now().Add(helloLimit)); err != nil {
		return h, err
	}
	m, err := p.link.read()
	if err != nil {
		return h, err
	}
	h, ok := m.Body.(hello)
	if !ok {
		return h, errMessage
	}
	return h, p.link.conn.SetReadDeadline(time.Time{})
}

// replaced notifies the server that another one takes over, and ends the connection, even if the
// server is too busy to read the notice. The keeper still handles the messages that have arrived,
// because the server may have told its clients that these took effect.
func (p *peer) replaced() {
	_ = p.link.conn.SetWriteDeadline(time.Now().Add(peerEndLimit))
	_ = p.link.write(message{Body: replaced}, nil) // the server may have ended
	_ = p.link.conn.CloseRead()                    // serve handles the messages that have arrived, and returns
	limit := time.NewTimer(peerEndLimit)
	defer limit.Stop()
	select {
	case <-p.gone:
	case <-limit.C:
		p.link.close()
	}
}

// serve handles a server's messages until the connection ends.
func (p *peer) serve() {
	for {
		p.link.closeUntaken() // a server never sends descriptors
		m, err := p.link.read()
		if err != nil || p.handle(m) != nil {
			return
		}
	}
}

// handle acts on one message. An error ends the connection. If an answer cannot be sent because the
// server has ended, handle returns no error: the messages that the server has sent before must still
// be handled, because the next server relies on their effects.
func (p *peer) handle(m message) error {
	if spec, ok := m.Body.(child.Spec); ok {
		if err := p.k.start(p, m.Request, spec); err != nil {
			p.answer(m, 0, err)
		}
		return nil
	}
	kid := p.k.kid(m.Child)
	if kid == nil {
		if m.Request != 0 {
			p.answer(m, 0, fmt.Errorf("no child %d", m.Child))
		}
		return nil
	}
	switch body := m.Body.(type) {
	case signal:
		if body == forget {
			p.k.forget(kid)
		} else {
			kid.attach(p, m.Request)
		}
	case eventlog.Event:
		kid.c.Note(body)
	case state:
		kid.keep(body.State)
	case ack:
		kid.ack(p, int(body))
	case child.Input:
		kid.replied(body.Replies)
		// Pieces stay in order, because the server sends each after the answer to the previous one.
		p.answerLater(m, func() (int, error) { return kid.c.Write(body) })
	case child.Size:
		p.answerLater(m, func() (int, error) { return 0, kid.c.Resize(body) })
	case end: // the child is ended even if the server ends meanwhile
		p.answerLater(m, func() (int, error) { return 0, kid.c.End(context.Background(), body.Signal, body.Grace) })
	default:
		return fmt.Errorf("%w: %T", errMessage, body)
	}
	return nil
}

// answerLater runs a request that may block in a new goroutine, and then answers it.
func (p *peer) answerLater(m message, do func() (int, error)) {
	p.requests.Go(func() {
		n, err := do()
		p.answer(m, n, err)
	})
}

// answer answers a request.
func (p *peer) answer(m message, n int, err error) {
	a := answer{N: n}
	if err != nil {
		a.Error = err.Error()
	}
	_ = p.link.write(message{Child: m.Child, Request: m.Request, Body: a}, nil) // if the server has ended, the next one asks again
}
