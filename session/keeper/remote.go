package keeper

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// ackEvery is how many bytes one acknowledgement covers at least.
const ackEvery = window / 8

// A remote is a child that belongs to the keeper.
type remote struct {
	c      *client
	number uint32
	id     string // of the session
	pid    int
	tag    string
	master *os.File // a copy for questions to the kernel; nil on pipes
	gauge  *child.Gauge
	store  eventlog.Store

	taken int // bytes taken and not acknowledged; of Read

	mu     sync.Mutex // guards what follows
	queue  []child.Event
	more   chan struct{} // closed and replaced when there is more to read
	end    bool          // no event comes after the queue
	closed bool
	exit   child.Exit
	status eventlog.Status // of the log, as last received
	ended  chan struct{}   // closed when exit is known
}

// newRemote returns the child that an answer describes.
func newRemote(c *client, r reply) *remote {
	kid := &remote{
		c: c, number: r.Number, id: r.ID, pid: r.PID, tag: r.Tag, master: r.file, gauge: c.gauges.at(r.Slot),
		more: make(chan struct{}), ended: make(chan struct{}),
	}
	if c.store != nil {
		// On an error the session has no history, but works.
		kid.store, _ = c.store(r.ID)
	}
	return kid
}

// put appends an event. The keeper's window bounds the queue.
func (r *remote) put(e child.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, e)
	r.wakeLocked()
}

// wakeLocked wakes Read.
func (r *remote) wakeLocked() {
	close(r.more)
	r.more = make(chan struct{})
}

// drain ends the queue: no more events come.
func (r *remote) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = true
	r.wakeLocked()
}

// exited records the child's end.
func (r *remote) exited(e child.Exit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exitLocked(e)
}

// exitLocked records the child's end once.
func (r *remote) exitLocked(e child.Exit) {
	select {
	case <-r.ended:
	default:
		r.exit = e
		close(r.ended)
	}
}

// lose ends a child that can no longer be reached. Closing its terminal hangs it up.
func (r *remote) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = true
	r.exitLocked(child.Exit{Code: -1, Lost: true, At: time.Now()})
	r.wakeLocked()
	r.closeLocked()
}

// closeLocked closes the copy of the terminal.
func (r *remote) closeLocked() {
	if r.master != nil && !r.closed {
		_ = r.master.Close() // nothing was written to it
	}
	r.closed = true
}

// PID returns the child's process id.
func (r *remote) PID() int { return r.pid }

// Tag returns the environment entry by which the child's descendants are recognized.
func (r *remote) Tag() string { return r.tag }

// Terminal returns the copy of the terminal's master.
func (r *remote) Terminal() *os.File { return r.master }

// Log returns the store of the log.
func (r *remote) Log() eventlog.Store { return r.store }

// LogStatus returns the status of the log as the keeper has last sent it.
func (r *remote) LogStatus() eventlog.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// logged records the status of the log.
func (r *remote) logged(s logStatus) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = eventlog.Status{Since: s.Since, Lost: s.Lost}
	if s.Error != "" {
		r.status.Err = errors.New(s.Error)
	}
}

// Ahead reports whether the keeper has read more than seen bytes.
func (r *remote) Ahead(seen int64) bool {
	select {
	case <-r.c.gone:
		return false // the keeper may have ended in the middle of a read
	default:
		return r.gauge.Ahead(seen)
	}
}

// Read waits for the next event.
func (r *remote) Read() (child.Event, error) {
	for {
		r.mu.Lock()
		if len(r.queue) > 0 {
			e := r.queue[0]
			r.queue[0] = child.Event{}
			r.queue = r.queue[1:]
			r.mu.Unlock()
			r.ack(len(e.Data))
			return e, nil
		}
		end, more := r.end, r.more
		r.mu.Unlock()
		if end {
			return child.Event{}, io.EOF
		}
		<-more
	}
}

// ack acknowledges output from time to time.
func (r *remote) ack(n int) {
	if r.taken += n; r.taken >= ackEvery {
		r.c.tell(frame{kind: kindAck, child: r.number, data: mustJSON(r.taken)})
		r.taken = 0
	}
}

// Write types a piece of input.
func (r *remote) Write(in child.Input) (int, error) {
	a, err := r.c.ask(context.Background(), frame{kind: kindWrite, child: r.number}, in)
	return a.N, err
}

// Resize changes the terminal's size.
func (r *remote) Resize(s child.Size) error {
	_, err := r.c.askWithin(context.Background(), answerLimit, frame{kind: kindResize, child: r.number}, s)
	return err
}

// Wait waits for the child's end.
func (r *remote) Wait() child.Exit {
	<-r.ended
	return r.exit
}

// End ends the child and its descendants, also after the keeper has ended. If only the
// connection to the keeper has ended, the child belongs to the next server, and End does
// nothing.
func (r *remote) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	select {
	case <-r.c.gone:
		if child.Alive(r.c.pid) {
			return nil
		}
		return child.EndTagged(ctx, r.tag, sig, grace)
	default:
	}
	_, err := r.c.askWithin(ctx, grace+2*answerLimit, frame{kind: kindEnd, child: r.number}, end{sig, grace})
	return err
}

// Note appends an event to the log.
func (r *remote) Note(e eventlog.Event) {
	r.c.tell(frame{kind: kindNote, child: r.number, data: mustJSON(e)})
}

// Keep stores the session's state in the keeper.
func (r *remote) Keep(state []byte) {
	r.c.tell(frame{kind: kindKeep, child: r.number, data: state})
}

// Close releases the child, which has ended.
func (r *remote) Close() {
	r.c.tell(frame{kind: kindForget, child: r.number})
	r.release()
}

// release ends Read and closes the copy of the terminal.
func (r *remote) release() {
	r.c.mu.Lock()
	delete(r.c.kids, r.number)
	r.c.mu.Unlock()
	r.lose()
}
