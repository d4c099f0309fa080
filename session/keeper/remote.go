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

// ackEvery is after how many bytes the keeper is told that they were taken.
const ackEvery = window / 8

// A remote is a child that belongs to the keeper.
type remote struct {
	c      *client
	number uint32
	id     string
	pid    int
	tag    string
	master *os.File // a copy for questions to the kernel; nil on pipes
	gauge  *child.Gauge
	store  eventlog.Store

	taken int // bytes not acknowledged; of Read

	mu     sync.Mutex // guards what follows
	queue  []child.Event
	more   chan struct{} // closed and replaced when there is more to read
	end    bool          // nothing comes after the queue
	closed bool
	exit   child.Exit
	status eventlog.Status // of the log, as last told
	ended  chan struct{}   // closed when exit is known
}

// newRemote returns the child that an answer tells of.
func newRemote(c *client, r reply) *remote {
	kid := &remote{
		c: c, number: r.Number, id: r.ID, pid: r.PID, tag: r.Tag, master: r.file, gauge: c.gauges.at(r.Slot),
		more: make(chan struct{}), ended: make(chan struct{}),
	}
	if c.store != nil {
		// Without it there is no history, and a session all the same.
		kid.store, _ = c.store(r.ID)
	}
	return kid
}

// put appends an event. The keeper's window bounds how much waits.
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

// drain says that no event comes any more.
func (r *remote) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end = true
	r.wakeLocked()
}

// exited takes the child's end.
func (r *remote) exited(e child.Exit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.exitLocked(e)
}

// exitLocked takes the child's end, once.
func (r *remote) exitLocked(e child.Exit) {
	select {
	case <-r.ended:
	default:
		r.exit = e
		close(r.ended)
	}
}

// lose ends a child that nobody can reach any more. Letting go of its terminal
// hangs it up.
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
		_ = r.master.Close() // it was never written
	}
	r.closed = true
}

// PID returns the child's process id.
func (r *remote) PID() int { return r.pid }

// Tag returns the entry by which the child's descendants are known.
func (r *remote) Tag() string { return r.tag }

// Terminal returns the copy of the terminal's master.
func (r *remote) Terminal() *os.File { return r.master }

// Log returns where the log is to be read.
func (r *remote) Log() eventlog.Store { return r.store }

// LogStatus tells what the keeper has last said of the log.
func (r *remote) LogStatus() eventlog.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status
}

// logged takes what the keeper says of the log.
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
		return false // and the gauge may be no more
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

// ack tells the keeper from time to time what was taken.
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

// End ends the child and its descendants, also when the keeper is no more. When it
// lives, and is only out of reach, the child belongs to the next server.
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

// Keep has the keeper keep the session's state.
func (r *remote) Keep(state []byte) {
	r.c.tell(frame{kind: kindKeep, child: r.number, data: state})
}

// Close lets go of the child, which has ended.
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
