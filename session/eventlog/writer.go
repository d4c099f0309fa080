package eventlog

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// Options are a Writer's limits. The zero value gives the defaults.
type Options struct {
	SegmentBytes int64 // after which a segment ends, default DefaultSegmentBytes
	MaxBytes     int64 // of the whole log, its states included, default DefaultMaxBytes
	// Mask hides secrets in output, input and markers, byte for byte so that offsets
	// stay the same, and in headers. nil: nothing is hidden.
	Mask Mask
	// Direct says that the owner calls Flush after events that must be on disk; there is
	// no timer.
	Direct bool
}

// The defaults of Options.
const (
	DefaultSegmentBytes = 16 << 20 // the states are small compared with the events
	DefaultMaxBytes     = 64 << 20
)

const (
	segmentAge = 24 * time.Hour      // after which a segment ends
	maxAge     = 30 * 24 * time.Hour // how long events are kept
)

const (
	// flushDelay is how long events wait in memory for the timer: so much is lost when the
	// process is killed. Fifty writes a second cost next to nothing.
	flushDelay = 20 * time.Millisecond
	// FlushBytes is how many bytes gather before Full asks for a Flush.
	FlushBytes = 64 << 10
	// maxBacklog bounds what waits for a slow disk. More is dropped, as if the disk had
	// failed.
	maxBacklog = 8 << 20
	// RetryDelay is the time between two tries to write after one has failed.
	RetryDelay = 5 * time.Second
)

func (o Options) withDefaults() Options {
	o.SegmentBytes = cmp.Or(max(o.SegmentBytes, 0), DefaultSegmentBytes)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	return o
}

// Start describes a session for the headers of its log.
type Start struct {
	Session string
	Command string    // as a person would type it
	Time    time.Time // when the session began, by the wall clock
	Rows    int
	Cols    int
	Pipe    bool // the child has pipes: its output has line feeds without carriage returns
}

// Status reports whether events of a log have been lost.
type Status struct {
	Err   error         // why events are being dropped; nil if they are not
	Since time.Duration // the time of the first event dropped
	Lost  int64         // log bytes dropped since the session began
}

// A Writer appends to a log. It is safe for concurrent use. Append, Due and Turn
// only touch memory and may be called with locks held; Flush and Close write.
type Writer struct {
	st  Store
	opt Options

	// writing is held while files are written. It is taken before mu.
	writing sync.Mutex
	out     output

	mu      sync.Mutex // guards what follows
	start   Start
	hidden  hiding
	enc     encoder
	parts   []part // to be written, in order
	spare   []byte // a buffer to reuse
	backlog int    // bytes in parts
	timer   *time.Timer
	closed  bool
	segment int64         // log offset of the segment that events go to
	began   time.Duration // of that segment
	end     int64         // log offset after the last event
	bytes   int64         // of output
	stopped bool          // events are dropped
	fail    Status        // its error stays until a retry succeeds
	retry   time.Duration // when to try again
	lost    int64         // dropped since the last segment began
}

// A part is data to write to one segment.
type part struct {
	begins bool  // a segment begins with data
	offset int64 // log offset where it begins
	data   []byte
}

// Create begins the log of a new session in st, which must not hold one. The first segment
// is on disk when it returns. If it cannot be written, Create returns an error together
// with the Writer, which tries again as Due says.
func Create(st Store, s Start, o Options) (*Writer, error) {
	names, err := st.Names()
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if _, ok := segmentOffset(n); ok {
			return nil, fmt.Errorf("begin a log: there is one already, %s", n)
		}
	}
	if o.Mask != nil {
		s.Command = o.Mask.Text(s.Command)
	}
	w := &Writer{st: st, opt: o.withDefaults(), start: s}
	w.mu.Lock()
	w.beginLocked(0, Turn{Rows: s.Rows, Cols: s.Cols}, CauseStart)
	w.mu.Unlock()
	return w, w.Flush()
}

// Append adds an event. It never blocks, and does not write to the disk. While writing
// fails (see Status), it drops and counts the event.
func (w *Writer) Append(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Kind == Output {
		w.bytes += int64(len(e.Data))
	}
	w.hidden.hide(w.opt.Mask, &e)
	if w.stopped || w.closed {
		w.dropLocked(int64(len(e.Data)))
		return
	}
	if w.backlog >= maxBacklog {
		w.failLocked(errBacklog)
		w.dropLocked(int64(len(e.Data)))
		return
	}
	p := &w.parts[len(w.parts)-1]
	before := len(p.data)
	p.data = w.enc.event(p.data, &e)
	n := len(p.data) - before
	w.end += int64(n)
	w.backlog += n
	w.armLocked()
}

// armLocked starts the timer that writes the waiting events.
func (w *Writer) armLocked() {
	if w.opt.Direct || w.timer != nil || w.backlog == 0 {
		return
	}
	w.timer = time.AfterFunc(flushDelay, func() {
		w.mu.Lock()
		w.timer = nil
		w.mu.Unlock()
		_ = w.Flush() // which Status tells of
	})
}

// Full reports whether so much has gathered that Flush should be called.
func (w *Writer) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.backlog >= FlushBytes
}

// Due reports whether Turn should be called, at the time now since the session
// began: the segment is large or old enough, or writing has failed and is to be
// tried again.
func (w *Writer) Due(now time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dueLocked(now) != ""
}

// dueLocked returns why a segment should be begun, "" when none should.
func (w *Writer) dueLocked(now time.Duration) Cause {
	switch {
	case w.closed:
	case w.stopped:
		if now >= w.retry {
			return CauseRetry
		}
	case w.end-w.segment >= w.opt.SegmentBytes:
		return CauseSize
	case now-w.began >= segmentAge:
		return CauseAge
	}
	return ""
}

// A Turn describes the terminal at the beginning of a segment.
type Turn struct {
	At   time.Duration // since the session began
	Rows int
	Cols int
}

// Turn ends the segment and begins the next, at the log offset that it returns.
// The events before it are those that led to t. It does nothing unless that is
// due. The terminal's state at the offset can be saved after the next Flush, see
// SaveState.
func (w *Writer) Turn(t Turn) (offset int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	cause := w.dueLocked(t.At)
	if cause == "" {
		return 0, false
	}
	offset = w.end
	w.beginLocked(offset, t, cause)
	w.armLocked()
	return offset, true
}

// beginLocked begins a segment at a log offset.
func (w *Writer) beginLocked(offset int64, t Turn, cause Cause) {
	at := max(t.At.Truncate(time.Microsecond), w.enc.last)
	h := header{
		Term:    headerTerm{Cols: t.Cols, Rows: t.Rows},
		Time:    w.start.Time.Add(at).Unix(),
		Command: w.start.Command,
		Own: headerOwn{
			Session: w.start.Session, Began: float64(w.start.Time.UnixMicro()) / 1e6, Pipe: w.start.Pipe,
			Offset: offset, Time: at.Seconds(), Output: w.bytes,
			Cause: cause, Lost: w.lost,
		},
	}
	w.enc.last = at
	data := append(w.spare[:0], h.line()...)
	w.spare = nil
	w.parts = append(w.parts, part{begins: true, offset: offset, data: data})
	w.backlog += len(data)
	w.segment, w.began, w.end = offset, at, offset+int64(len(data))
	w.lost, w.stopped = 0, false
}

// End returns the log offset after the last event.
func (w *Writer) End() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Status reports whether events are being dropped.
func (w *Writer) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fail
}
