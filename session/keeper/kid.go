package keeper

import (
	"fmt"
	"sync"

	"github.com/glasstty/glasstty/session/child"
)

// window is the number of unacknowledged bytes of output from which a kid sends no more to a server.
const window = 512 << 10

// A kid is a child of the keeper.
type kid struct {
	k *Keeper
	childInfo
	c child.Child

	mu      sync.Mutex  // guards what follows, and the order of the stream
	found   child.Found // describes the child to the next server that attaches it
	drained bool        // all output was read
	exit    *child.Exit // nil while the child runs
	server  *peer       // the receiver of the stream; if nil, output is only logged
	unacked int         // bytes of output sent to server and not acknowledged
	changed *sync.Cond  // signals a change of server or unacked
}

// start starts a child and sends its stream to p from the first byte on.
func (k *Keeper) start(p *peer, request uint32, spec child.Spec) error {
	number, err := k.next()
	if err != nil {
		return err
	}
	spec.Slot = int(number)
	c, err := k.local.Start(spec)
	if err != nil {
		return err
	}
	kid := &kid{k: k, c: c, found: child.Found{State: spec.State}}
	kid.changed = sync.NewCond(&kid.mu)
	kid.mu.Lock() // pump and wait must not send anything before the answer
	defer kid.mu.Unlock()
	k.mu.Lock()
	kid.childInfo = childInfo{Number: number, ID: spec.ID, PID: c.PID(), Tag: c.Tag(), Pipe: spec.Pipe}
	k.kids[number] = kid
	k.mu.Unlock()
	k.loops.Go(kid.pump)
	k.loops.Go(kid.wait)
	kid.attachLocked(p, request)
	return nil
}

// next returns an unused number for a new child. The gauge of that number is not in use either.
func (k *Keeper) next() (uint32, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	used := map[uint32]bool{}
	for number := range k.kids {
		used[number%MaxChildren] = true
	}
	if len(used) == MaxChildren {
		return 0, fmt.Errorf("the keeper already has %d programs, which is the maximum", MaxChildren)
	}
	for k.lastNumber++; used[k.lastNumber%MaxChildren]; k.lastNumber++ {
	}
	return k.lastNumber, nil
}

// pump reads the child's events, and sends them if a server is attached, until the output ends.
func (kid *kid) pump() {
	for {
		e, err := kid.c.Read()
		if err != nil {
			kid.send(drained, func() { kid.drained = true })
			return
		}
		kid.awaitWindow()
		kid.send(e, func() {
			kid.found.Total += int64(len(e.Data))
			kid.found.LogOffset = e.Logged
			kid.unacked += len(e.Data)
		})
	}
}

// wait waits until the child has ended, and sends its Exit if a server is attached.
func (kid *kid) wait() {
	exit := kid.c.Wait()
	kid.send(exit, func() { kid.exit, kid.found.Exited = &exit, true })
	kid.k.requestIdleCheck()
}

// living reports whether the child is running.
func (kid *kid) living() bool {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	return kid.exit == nil
}

// awaitWindow waits until fewer than window bytes are unacknowledged, or no server is attached.
func (kid *kid) awaitWindow() {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	for kid.server != nil && kid.unacked >= window {
		kid.changed.Wait()
	}
}

// send calls record, which records an event, and sends the event if a server is attached.
func (kid *kid) send(event any, record func()) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	record()
	kid.sendLocked(event)
}

// sendLocked sends an event if a server is attached.
func (kid *kid) sendLocked(event any) {
	if kid.server == nil {
		return
	}
	if kid.server.link.write(message{Child: kid.Number, Status: kid.c.LogStatus(), Body: event}, nil) != nil {
		kid.server = nil // the connection has ended; the next server finds the event in the log
	}
}

// attach answers a request of p, and begins to send the child's stream to p.
func (kid *kid) attach(p *peer, request uint32) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.attachLocked(p, request)
}

// attachLocked is attach with mu locked. If p has ended meanwhile, the next server can attach the child.
func (kid *kid) attachLocked(p *peer, request uint32) {
	kid.server, kid.unacked = p, 0
	kid.changed.Broadcast()
	a := answer{Info: kid.childInfo, Found: kid.found}
	_ = p.link.write(message{Child: kid.Number, Request: request, Body: a}, kid.c.Terminal())
	if kid.drained {
		kid.sendLocked(drained)
	}
	if kid.exit != nil {
		kid.sendLocked(*kid.exit)
	}
}

// detach ends the stream to p. If the stream goes to another server, it does nothing.
func (kid *kid) detach(p *peer) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	if kid.server == p {
		kid.server = nil
		kid.changed.Broadcast()
	}
}

// ack records that p has acknowledged n bytes, unless the stream goes to another server by now.
func (kid *kid) ack(p *peer, n int) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	if kid.server == p {
		kid.unacked -= n
		kid.changed.Broadcast()
	}
}

// keep stores the session's kept state.
func (kid *kid) keep(state []byte) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.found.State = state
}

// replied records that the queries in the first upTo bytes of output have been answered.
func (kid *kid) replied(upTo int64) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.found.Replies = max(kid.found.Replies, upTo)
}

// forget closes and removes a child that has ended. It closes the child before it removes the number,
// because the child uses the gauge of that number until it is closed.
func (k *Keeper) forget(kid *kid) {
	kid.release()
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.kids, kid.Number)
}

// release closes a child that has ended, and ends its stream.
func (kid *kid) release() {
	kid.mu.Lock()
	kid.server = nil
	kid.changed.Broadcast()
	kid.mu.Unlock()
	kid.c.Close()
}
