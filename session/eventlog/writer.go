package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"
)

// Options configure a Writer. The zero value means the defaults.
type Options struct {
	SegmentBytes int64 // size after which a segment ends; default DefaultSegmentBytes
	MaxBytes     int64 // size of the log above which old segments are removed (see excess); default DefaultMaxBytes
	// Mask hides secrets in output, input, markers and headers. Hidden text keeps its length,
	// so that offsets do not change. nil hides nothing.
	Mask Mask
	// Direct reports that the owner calls Flush after events that must be on disk, so that the Writer
	// needs no timer.
	Direct bool
}

// The defaults of Options.
const (
	DefaultSegmentBytes = 8 << 20 // the next server replays about as much after the latest saved state
	DefaultMaxBytes     = 64 << 20
)

const (
	// flushDelay is the time after which the timer writes waiting events. A process that is
	// killed loses the events of about that time. Fifty writes per second cost very little.
	flushDelay = 20 * time.Millisecond
	// FlushBytes is the number of waiting bytes from which Full reports true.
	FlushBytes = 64 << 10
	// maxBacklog is the number of bytes that may wait for a slow disk. When as many wait, the next
	// Append drops all of them and its own event, as if the disk had failed.
	maxBacklog = 8 << 20
	// RetryDelay is the shortest time between a failed write and the next attempt.
	RetryDelay = 5 * time.Second
)

// Start describes a session for the headers of its log.
type Start struct {
	Session string
	Command string    // as a person would type it
	Time    time.Time // when the session began, by the wall clock
	Rows    int       // of the terminal, updated by each Resize
	Cols    int
	Pipe    bool // the child writes to a pipe, so its line feeds have no carriage returns before them
}

// Status reports whether events of a log are being dropped, because writing has failed.
type Status struct {
	Error string        `json:"error,omitempty"` // why writing failed; "" once a retry has succeeded
	Since time.Duration `json:"since"`           // the time of the newest event when writing failed; 0 while Error is ""
}

// A Writer appends to a log. It is safe for concurrent use. Append and Rotate only change memory,
// so they may be called with a mutex locked; Flush and Close write to the store.
type Writer struct {
	st  Store
	opt Options

	// writing is locked while files are written. It is locked before mu.
	writing sync.Mutex
	current segmentFile

	mu          sync.Mutex // guards what follows
	start       Start
	hider       secretHider
	enc         encoder
	parts       []part // waiting to be written, in order; the last one receives events
	spare       []byte // an empty buffer for a later part, or nil
	backlog     int    // bytes in parts
	timer       *time.Timer
	closed      bool
	segment     int64         // log offset of the current segment
	end         int64         // log offset after the last event
	outputBytes int64         // bytes of output since the session began
	stopped     bool          // writing has failed: events are dropped until Rotate begins a segment
	err         error         // why writing failed, until a retry succeeds
	since       time.Duration // see Status
	retry       time.Duration // when Rotate may begin a segment after a failure
	lost        int64         // log bytes dropped since the last segment began; of an event that was dropped before it was encoded, only the data count
}

// A part is data to write to one segment.
type part struct {
	beginsSegment bool  // data begins with the segment's header
	offset        int64 // log offset of the segment if beginsSegment is set
	data          []byte
}

// Create begins the log of a new session in st, which must not contain a log. When Create returns
// no error, the first segment is on disk. If the segment cannot be written, Create returns an error
// and a Writer, whose Rotate tries again. With any other error, the Writer is nil.
func Create(st Store, s Start, o Options) (*Writer, error) {
	segments, _, err := Offsets(st)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(segments) > 0 {
		return nil, fmt.Errorf("begin a log: there is one already, %s", SegmentName(segments[0]))
	}
	if o.Mask != nil {
		s.Command = o.Mask.Text(s.Command)
	}
	o.SegmentBytes = cmp.Or(max(o.SegmentBytes, 0), DefaultSegmentBytes)
	o.MaxBytes = cmp.Or(max(o.MaxBytes, 0), DefaultMaxBytes)
	w := &Writer{st: st, opt: o, start: s}
	w.mu.Lock()
	w.beginLocked(0, 0)
	w.mu.Unlock()
	return w, w.Flush()
}

// Append adds an event. It does not wait for the disk. After a failed write (see Status) or Close,
// Append drops the event and counts its bytes.
func (w *Writer) Append(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Kind {
	case Output:
		w.outputBytes += int64(len(e.Data))
	case Resize:
		w.start.Rows, w.start.Cols = e.Rows, e.Cols
	}
	w.hider.hide(w.opt.Mask, &e)
	if w.stopped || w.closed {
		w.lost += int64(len(e.Data))
		return
	}
	if w.backlog >= maxBacklog {
		w.failLocked(errBacklog)
		w.lost += int64(len(e.Data))
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

// armLocked starts the timer that writes the waiting events, unless it runs or is not needed.
func (w *Writer) armLocked() {
	if w.opt.Direct || w.timer != nil || w.backlog == 0 {
		return
	}
	w.timer = time.AfterFunc(flushDelay, func() {
		w.mu.Lock()
		w.timer = nil
		w.mu.Unlock()
		_ = w.Flush() // Status reports the error
	})
}

// Full reports whether enough events are waiting that Flush should be called.
func (w *Writer) Full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.backlog >= FlushBytes
}

// dueLocked reports whether a new segment should begin at now, the time since the session began.
func (w *Writer) dueLocked(now time.Duration) bool {
	switch {
	case w.closed:
		return false
	case w.stopped:
		return now >= w.retry
	}
	return w.end-w.segment >= w.opt.SegmentBytes
}

// Rotate begins a new segment if one is due at now, the time since the session began, and returns
// its log offset. A segment is due if the current one is large enough, or RetryDelay after a failed
// write. The session's state at the offset can be saved after the next Flush (see SaveState).
func (w *Writer) Rotate(now time.Duration) (offset int64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.dueLocked(now) {
		return 0, false
	}
	offset = w.end
	w.beginLocked(offset, now)
	w.armLocked()
	return offset, true
}

// beginLocked begins a segment at a log offset and a time since the session began.
func (w *Writer) beginLocked(offset int64, now time.Duration) {
	at := max(now.Truncate(time.Microsecond), w.enc.last)
	h := header{
		Term:    headerTerm{Cols: w.start.Cols, Rows: w.start.Rows},
		Time:    w.start.Time.Add(at).Unix(),
		Command: w.start.Command,
		Extension: headerExtension{
			Session: w.start.Session, Began: float64(w.start.Time.UnixMicro()) / 1e6, Pipe: w.start.Pipe,
			Offset: offset, Time: at.Seconds(), Output: w.outputBytes, Lost: w.lost,
		},
	}
	w.enc.last = at
	data := append(w.spare[:0], h.line()...)
	w.spare = nil
	w.parts = append(w.parts, part{beginsSegment: true, offset: offset, data: data})
	w.backlog += len(data)
	w.segment, w.end = offset, offset+int64(len(data))
	w.lost, w.stopped = 0, false
}

// End returns the log offset after the last event.
func (w *Writer) End() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end
}

// Status reports whether writing has failed, and no retry has succeeded since.
func (w *Writer) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Status{Since: w.since}
	if w.err != nil {
		s.Error = w.err.Error()
	}
	return s
}
