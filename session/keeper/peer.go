package keeper

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// helloLimit is how long a connection may take to send its hello.
const helloLimit = 5 * time.Second

// A peer is a server as the keeper sees it.
type peer struct {
	k     *Keeper
	link  *link
	pid   int
	gone  chan struct{}  // closed when its connection has ended
	asked sync.WaitGroup // the running requests
}

// hello reads the first message of a server.
func (p *peer) hello() (h hello, err error) {
	if err := p.link.conn.SetReadDeadline(time.Now().Add(helloLimit)); err != nil {
		return h, err
	}
	f, err := p.link.read()
	if err != nil {
		return h, err
	}
	if f.kind != kindHello {
		return h, errFrame
	}
	if err := json.Unmarshal(f.data, &h); err != nil {
		return h, err
	}
	return h, p.link.conn.SetReadDeadline(time.Time{})
}

// replaced tells the server that another one takes over, and ends the connection even if
// the server is too busy to read the message. The keeper first handles the frames already
// received, because the server may have answered its clients about them.
func (p *peer) replaced() {
	_ = p.link.conn.SetWriteDeadline(time.Now().Add(seatLimit))
	_ = p.link.write(frame{kind: kindReplaced}) // the server may have ended
	_ = p.link.conn.CloseRead()                 // serve returns after the frames received so far
	limit := time.NewTimer(seatLimit)
	defer limit.Stop()
	select {
	case <-p.gone:
	case <-limit.C:
		p.link.close()
	}
}

// serve handles a server's frames until the connection ends.
func (p *peer) serve() {
	for {
		p.link.drop() // a server never sends descriptors
		f, err := p.link.read()
		if err != nil || p.take(f) != nil {
			return
		}
	}
}

// take handles one frame. An error ends the connection. A failure to send an answer to a
// server that has ended is not an error: the server's earlier frames still count, because
// the next server relies on them.
func (p *peer) take(f frame) error {
	if f.kind == kindStart {
		return decode(f, func(spec child.Spec) {
			if err := p.k.start(p, f.request, spec); err != nil {
				p.answer(f, 0, err)
			}
		})
	}
	kid := p.k.kid(f.child)
	if kid == nil {
		if f.request != 0 {
			p.answer(f, 0, fmt.Errorf("no child %d", f.child))
		}
		return nil
	}
	switch f.kind {
	case kindAttach:
		kid.attach(p, f.request)
	case kindNote:
		return decode(f, kid.c.Note)
	case kindKeep:
		kid.keep(f.data)
	case kindAck:
		return decode(f, func(n int) { kid.ack(p, n) })
	case kindForget:
		p.k.mu.Lock()
		delete(p.k.kids, f.child)
		p.k.mu.Unlock()
		kid.release()
	case kindWrite:
		return decode(f, func(in child.Input) {
			kid.replied(in.Replies)
			// Pieces keep their order, because the server awaits the answer to each before the next.
			p.later(f, func() (int, error) { return kid.c.Write(in) })
		})
	case kindResize:
		return decode(f, func(size child.Size) {
			p.later(f, func() (int, error) { return 0, kid.c.Resize(size) })
		})
	case kindEnd:
		return decode(f, func(e end) { // even if the server ends meanwhile
			p.later(f, func() (int, error) { return 0, kid.c.End(context.Background(), e.Signal, e.Grace) })
		})
	default:
		return fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
	return nil
}

// decode decodes a frame's data and passes it to do.
func decode[T any](f frame, do func(T)) error {
	var v T
	if err := json.Unmarshal(f.data, &v); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	do(v)
	return nil
}

// later runs a request that may block, in a goroutine of its own.
func (p *peer) later(f frame, do func() (int, error)) {
	p.asked.Go(func() {
		n, err := do()
		p.answer(f, n, err)
	})
}

// answer answers a request.
func (p *peer) answer(f frame, n int, err error) {
	a := answer{N: n}
	if err != nil {
		a.Error = err.Error()
	}
	_ = p.link.write(frame{kind: kindAnswer, child: f.child, request: f.request}.with(a)) // if the server has ended, the next one asks again
}
