package keeper

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

const (
	// helloLimit is how long a connection may take to send its hello.
	helloLimit = 5 * time.Second
	// maxRequests bounds the concurrent requests of a server.
	maxRequests = 1024
)

// A peer is a server as the keeper sees it.
type peer struct {
	k     *Keeper
	link  *link
	pid   int
	gone  chan struct{}  // closed when it has left
	bye   bool           // it has announced its end; guarded by the keeper's mutex
	slots chan struct{}  // one for each running request
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

// replaced tells the server that another one takes over, and ends the connection, even if
// the server is too busy to read the message. The keeper first acts on the server's
// earlier frames: the server may have answered its clients already.
func (p *peer) replaced() {
	_ = p.link.conn.SetWriteDeadline(time.Now().Add(seatLimit))
	_ = p.link.write(frame{kind: kindReplaced}) // it may have ended
	_ = p.link.conn.CloseRead()                 // serve ends after the frames received so far
	limit := time.NewTimer(seatLimit)
	defer limit.Stop()
	select {
	case <-p.gone:
	case <-limit.C:
		p.link.close()
	}
}

// serve answers a server until its connection ends.
func (p *peer) serve() {
	for {
		p.link.drop() // a server never sends descriptors
		f, err := p.link.read()
		if err != nil || p.take(f) != nil {
			return
		}
	}
}

// take acts on one frame. An error ends the connection. It is not an error if an answer
// cannot be sent because the server has ended: its earlier frames still count, since the
// next server relies on them.
func (p *peer) take(f frame) error {
	switch f.kind {
	case kindStart:
		return p.start(f)
	case kindBye:
		p.k.mu.Lock()
		p.k.bye, p.bye = true, true
		p.k.mu.Unlock()
		return errBye
	}
	kid := p.k.kid(f.child)
	if kid == nil {
		if f.request == 0 {
			return nil
		}
		p.answer(f, 0, fmt.Errorf("no child %d", f.child))
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
		return decode(f, func(in child.Input) { p.write(f, kid, in) })
	case kindResize:
		return decode(f, func(size child.Size) { p.resize(f, kid, size) })
	case kindEnd:
		return decode(f, func(e end) { p.end(f, kid, e) })
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

// start starts a child. Its stream begins with its first byte.
func (p *peer) start(f frame) error {
	var spec child.Spec
	if err := json.Unmarshal(f.data, &spec); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	if err := p.k.start(p, f.request, spec); err != nil {
		p.answer(f, 0, err)
	}
	return nil
}

// later runs a request that may block in a goroutine of its own.
func (p *peer) later(f frame, do func() (int, error)) {
	p.slots <- struct{}{}
	p.asked.Go(func() {
		defer func() { <-p.slots }()
		n, err := do()
		p.answer(f, n, err)
	})
}

// write types a piece of input. Pieces keep their order, since the server sends one only
// after the answer to the one before.
func (p *peer) write(f frame, kid *kid, in child.Input) {
	kid.replied(in.Replies)
	p.later(f, func() (int, error) { return kid.c.Write(in) })
}

// resize resizes a child's terminal.
func (p *peer) resize(f frame, kid *kid, size child.Size) {
	p.later(f, func() (int, error) { return 0, kid.c.Resize(size) })
}

// end ends a child, even if the server ends meanwhile.
func (p *peer) end(f frame, kid *kid, e end) {
	p.later(f, func() (int, error) { return 0, kid.c.End(context.Background(), e.Signal, e.Grace) })
}

// answer answers a request.
func (p *peer) answer(f frame, n int, err error) {
	a := answer{N: n}
	a.setError(err)
	_ = p.link.writeJSON(frame{kind: kindAnswer, child: f.child, request: f.request}, a) // if the server has ended, the next one asks again
}

// mustJSON encodes one of our own types.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("keeper: encode %T: %v", v, err))
	}
	return b
}
