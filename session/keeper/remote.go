package keeper

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// ackEvery is the minimum number of bytes that one acknowledgement covers.
const ackEvery = window / 8

// A remote implements child.Child in the server, for a child of the keeper.
type remote struct {
	c *client
	childInfo
	master *os.File // a copy of the terminal's master, used only to query the kernel; nil on pipes
	gauge  *child.Gauge
	store  eventlog.Store

	unacked int // bytes returned and not acknowledged; used only by Read

	mu         sync.Mutex // guards what follows
	queue      []child.Event
	more       *sync.Cond      // signals a change of queue or queueEnded
	queueEnded bool            // no events follow those in the queue
	status     eventlog.Status // of the log, as last received

	exit  child.Exit    // valid once ended is closed
	ended chan struct{} // closed when exit is set
	once  sync.Once     // sets exit and closes ended
}

// newRemote returns the child that a describes. master is a copy of its terminal's master, or nil.
func newRemote(c *client, a childInfo, master *os.File) *remote {
	kid := &remote{
		c: c, childInfo: a, master: master, gauge: c.gauges.at(int(a.Number)), ended: make(chan struct{}),
	}
	kid.more = sync.NewCond(&kid.mu)
	kid.store, _ = eventlog.OpenStore(c.dir, a.ID) // the keeper has checked the ID
	return kid
}

// enqueue appends an event for Read to the queue. The keeper's window limits the bytes in the queue.
func (r *remote) enqueue(e child.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, e)
	r.more.Signal()
}

// endQueue records that no events follow those in the queue.
func (r *remote) endQueue() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queueEnded = true
	r.more.Broadcast()
}

// recordExit records the child's end. Only the first call has an effect.
func (r *remote) recordExit(e child.Exit) {
	r.once.Do(func() {
		r.exit = e
		close(r.ended)
	})
}

// markLost records the child as lost and closes the copy of its terminal's master. If the keeper was
// killed, this copy is the last one, and the kernel hangs up the child.
func (r *remote) markLost() {
	r.endQueue()
	r.recordExit(child.Exit{Code: -1, Lost: true, At: time.Now()})
	if r.master != nil {
		_ = r.master.Close() // nothing was written to the master, and it may be closed already
	}
}

// PID returns the child's process ID.
func (r *remote) PID() int { return r.childInfo.PID }

// Tag returns the text that identifies the child's process tree.
func (r *remote) Tag() string { return r.childInfo.Tag }

// Terminal returns the copy of the terminal's master, or nil on pipes.
func (r *remote) Terminal() *os.File { return r.master }

// Log returns the store of the log.
func (r *remote) Log() eventlog.Store { return r.store }

// LogStatus returns the status of the log as last sent by the keeper.
func (r *remote) LogStatus() eventlog.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// setStatus records the log's status, which the keeper has sent.
func (r *remote) setStatus(s eventlog.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = s
}

// Ahead reports whether the keeper has read, or may have read, more than the first seen bytes of
// output. After the end of the connection, it returns false.
func (r *remote) Ahead(seen int64) bool {
	select {
	case <-r.c.gone:
		return false // the keeper may have ended in the middle of a read
	default:
		return r.gauge.Ahead(seen)
	}
}

// Read waits for the next event. After Close or the end of the connection, it returns the queued
// events and then io.EOF.
func (r *remote) Read() (child.Event, error) {
	r.mu.Lock()
	for len(r.queue) == 0 && !r.queueEnded {
		r.more.Wait()
	}
	if len(r.queue) == 0 {
		r.mu.Unlock()
		return child.Event{}, io.EOF
	}
	e := r.queue[0]
	r.queue[0] = child.Event{}
	r.queue = r.queue[1:]
	r.mu.Unlock()
	r.ack(len(e.Data))
	return e, nil
}

// ack counts n bytes that Read returns. When ackEvery bytes have been counted, ack acknowledges them
// to the keeper.
func (r *remote) ack(n int) {
	if r.unacked += n; r.unacked >= ackEvery {
		r.c.send(message{Child: r.Number, Body: ack(r.unacked)})
		r.unacked = 0
	}
}

// Write types a piece of input. It waits for the keeper's answer as long as the connection lasts.
func (r *remote) Write(in child.Input) (int, error) {
	a, err := r.c.ask(context.Background(), 0, message{Child: r.Number, Body: in})
	return a.N, err
}

// Resize changes the terminal's size.
func (r *remote) Resize(s child.Size) error {
	_, err := r.c.ask(context.Background(), answerLimit, message{Child: r.Number, Body: s})
	return err
}

// Wait waits for the child's end.
func (r *remote) Wait() child.Exit {
	<-r.ended
	return r.exit
}

// End ends the child and its descendants, even if the keeper has ended. If the connection has ended
// but the keeper still runs, the child belongs to the next server, and End does nothing.
func (r *remote) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	select {
	case <-r.c.gone:
		if child.Alive(r.c.pid) {
			return nil
		}
		return child.EndTagged(ctx, r.childInfo.Tag, sig, grace)
	default:
	}
	_, err := r.c.ask(ctx, grace+2*answerLimit, message{Child: r.Number, Body: end{sig, grace}})
	return err
}

// Note appends an event to the log.
func (r *remote) Note(e eventlog.Event) {
	r.c.send(message{Child: r.Number, Body: e})
}

// Keep stores the session's kept state in the keeper.
func (r *remote) Keep(data []byte) {
	r.c.send(message{Child: r.Number, Body: state{data}})
}

// Close makes the keeper close the child, which must have ended. Afterwards Read returns the queued
// events and then io.EOF.
func (r *remote) Close() {
	r.c.send(message{Child: r.Number, Body: forget})
	r.c.mu.Lock()
	delete(r.c.kids, r.Number)
	r.c.mu.Unlock()
	r.markLost()
}
