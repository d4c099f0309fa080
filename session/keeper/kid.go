package keeper

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"github.com/glasstty/glasstty/session/child"
)

// window is how many bytes a child may be ahead of the connected server.
const window = 512 << 10

// A kid is a child of the keeper.
type kid struct {
	k *Keeper
	about
	c child.Child

	mu      sync.Mutex // guards what follows, and the order of the stream
	state   []byte
	total   int64 // bytes of output so far, sent or only logged
	logged  int64 // the log's end after them
	drained bool
	exit    *child.Exit
	to      *peer // the receiver of the stream; nil: output is only logged
	ahead   int   // bytes sent and not acknowledged
	moved   chan struct{}
	status  logStatus // as last sent
	replies int64     // see child.Input
}

// start starts a child and sends its stream to p from the first byte on.
func (k *Keeper) start(p *peer, request uint32, spec child.Spec) error {
	slot, err := k.takeSlot()
	if err != nil {
		return err
	}
	spec.Slot = slot
	c, err := k.local.Start(spec)
	if err != nil {
		k.freeSlot(slot)
		return err
	}
	kid := &kid{k: k, c: c, state: spec.State, moved: make(chan struct{})}
	kid.mu.Lock() // before anybody can find it
	defer kid.mu.Unlock()
	k.mu.Lock()
	k.number++
	kid.about = about{Number: k.number, ID: spec.ID, PID: c.PID(), Tag: c.Tag(), Slot: slot, Pipe: spec.Pipe}
	k.kids[kid.Number] = kid
	k.mu.Unlock()
	k.loops.Go(kid.pump)
	k.loops.Go(kid.wait)
	kid.attachLocked(p, request)
	return nil
}

// takeSlot returns a free gauge.
func (k *Keeper) takeSlot() (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for slot := range MaxChildren {
		if !k.slots[slot] {
			k.slots[slot] = true
			return slot, nil
		}
	}
	return 0, fmt.Errorf("the keeper holds %d programs, the most it can", MaxChildren)
}

// freeSlot releases a gauge.
func (k *Keeper) freeSlot(slot int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.slots, slot)
}

// pump reads the child to its end.
func (kid *kid) pump() {
	for {
		e, err := kid.c.Read()
		if err != nil {
			kid.tell(frame{kind: kindDrained}, func() { kid.drained = true })
			return
		}
		if e.Kind != child.Output {
			kid.tellJSON(frame{kind: kindEvent}, e, func() { kid.logged = e.Logged })
			continue
		}
		kid.awaitWindow()
		kid.tell(frame{kind: kindOutput, logged: e.Logged, data: e.Data}, func() {
			kid.total += int64(len(e.Data))
			kid.logged = e.Logged
			kid.ahead += len(e.Data)
		})
	}
}

// wait waits for the child's end.
func (kid *kid) wait() {
	exit := kid.c.Wait()
	kid.tellJSON(frame{kind: kindExited}, exit, func() { kid.exit = &exit })
	kid.k.look()
}

// living reports whether the child has not ended.
func (kid *kid) living() bool {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	return kid.exit == nil
}

// awaitWindow waits until the connected server has taken enough of the output.
func (kid *kid) awaitWindow() {
	for {
		kid.mu.Lock()
		full, moved := kid.to != nil && kid.ahead >= window, kid.moved
		kid.mu.Unlock()
		if !full {
			return
		}
		<-moved
	}
}

// moveLocked wakes awaitWindow.
func (kid *kid) moveLocked() {
	close(kid.moved)
	kid.moved = make(chan struct{})
}

// tell records an event by calling note, and sends f if a server is attached.
func (kid *kid) tell(f frame, note func()) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	note()
	if kid.to == nil {
		return
	}
	f.child = kid.Number
	kid.tellStatusLocked()
	if kid.to.link.write(f) != nil {
		kid.to = nil // the connection has ended; the event is in the log
	}
}

// tellStatusLocked sends the status of the log to the server if it has changed.
func (kid *kid) tellStatusLocked() {
	s := statusOf(kid.c.LogStatus())
	if s.Error == kid.status.Error && (s.Error == "" || s.Lost == kid.status.Lost) {
		return
	}
	kid.status = s
	// The next frame notices a connection that has ended.
	_ = kid.to.link.writeJSON(frame{kind: kindStatus, child: kid.Number}, s)
}

// tellJSON is tell with v as the frame's data.
func (kid *kid) tellJSON(f frame, v any, note func()) {
	f.data = mustJSON(v)
	kid.tell(f, note)
}

// attach begins the stream for p.
func (kid *kid) attach(p *peer, request uint32) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.attachLocked(p, request)
}

// attachLocked is attach. If the server has gone, the next one finds the child.
func (kid *kid) attachLocked(p *peer, request uint32) {
	kid.to, kid.ahead, kid.status = p, 0, logStatus{}
	kid.moveLocked()
	var files []*os.File
	if master := kid.c.Terminal(); master != nil {
		files = []*os.File{master}
	}
	a := answer{attached: attached{kid.about, kid.total, kid.logged, kid.state, kid.replies, kid.exit != nil}}
	_ = p.link.writeJSON(frame{kind: kindAnswer, child: kid.Number, request: request}, a, files...)
	if kid.drained {
		_ = p.link.write(frame{kind: kindDrained, child: kid.Number})
	}
	if kid.exit != nil {
		_ = p.link.writeJSON(frame{kind: kindExited, child: kid.Number}, *kid.exit)
	}
}

// detach ends p's stream.
func (kid *kid) detach(p *peer) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	if kid.to == p {
		kid.to = nil
		kid.moveLocked()
	}
}

// ack records that the server has taken n bytes.
func (kid *kid) ack(p *peer, n int) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	if kid.to == p {
		kid.ahead -= n
		kid.moveLocked()
	}
}

// keep stores the session's state.
func (kid *kid) keep(state []byte) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.state = bytes.Clone(state) // the receiver reuses its buffer
}

// replied records that queries in the output up to a byte have been answered.
func (kid *kid) replied(upTo int64) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.replies = max(kid.replies, upTo)
}

// release closes a child that has ended.
func (kid *kid) release() {
	kid.mu.Lock()
	kid.to = nil
	kid.moveLocked()
	kid.mu.Unlock()
	kid.c.Close()
	kid.k.freeSlot(kid.Slot)
}
