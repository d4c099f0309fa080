package keeper

import (
	"bytes"
	"fmt"
	"os"
	"sync"

	"github.com/glasstty/glasstty/session/child"
)

// window is how far a child may be ahead of the server that is connected, in
// bytes.
const window = 512 << 10

// A kid is a child of the keeper.
type kid struct {
	k *Keeper
	about
	c child.Child

	mu      sync.Mutex // guards what follows, and the order of the stream
	state   []byte
	total   int64 // bytes of output that were passed on, or that only the log has
	logged  int64 // the log's end after them
	drained bool
	exit    *child.Exit
	to      *peer // who gets the stream; nil: only the log does
	ahead   int   // bytes sent that were not acknowledged
	moved   chan struct{}
	status  logStatus // as last told
	replies int64     // the output up to which replies were given
}

// start starts a child, whose stream goes to p from its first byte on.
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
	kid.mu.Lock() // before its number is known to anybody
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

// freeSlot gives a gauge back.
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

// awaitWindow waits until the server that is connected has taken enough of what it
// was sent.
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

// tell notes something that has happened, and sends it on when a server is
// attached.
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
		kid.to = nil // it is gone; the log has it
	}
}

// tellStatusLocked tells the server whether the log fails, when that has changed.
func (kid *kid) tellStatusLocked() {
	s := statusOf(kid.c.LogStatus())
	if s.Error == kid.status.Error && (s.Error == "" || s.Lost == kid.status.Lost) {
		return
	}
	kid.status = s
	// A connection that has ended is noticed by the next frame.
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

// attachLocked is attach. The server may be gone: the next one finds the child.
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

// ack notes that the server has taken n bytes.
func (kid *kid) ack(p *peer, n int) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	if kid.to == p {
		kid.ahead -= n
		kid.moveLocked()
	}
}

// keep keeps the session's state.
func (kid *kid) keep(state []byte) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.state = bytes.Clone(state) // it lies in what was received
}

// replied notes that replies to the output up to a byte are being given.
func (kid *kid) replied(upTo int64) {
	kid.mu.Lock()
	defer kid.mu.Unlock()
	kid.replies = max(kid.replies, upTo)
}

// release lets go of a child that has ended.
func (kid *kid) release() {
	kid.mu.Lock()
	kid.to = nil
	kid.moveLocked()
	kid.mu.Unlock()
	kid.c.Close()
	kid.k.freeSlot(kid.Slot)
}
