package eventlog

import (
	"bytes"
	"errors"
	"io/fs"
)

// A segmentFile is the file that is being written. Writer.writing guards it.
type segmentFile struct {
	file   File  // nil before the first segment, and after a segment that could not be created
	offset int64 // log offset of the file's first byte
	size   int64 // of the file, in bytes
}

// Flush writes the waiting events. It returns the error that Status reports, if any. After an error,
// events have been lost, and nothing more is written until Rotate begins a new segment.
func (w *Writer) Flush() error {
	w.writing.Lock()
	defer w.writing.Unlock()
	for {
		w.mu.Lock()
		if w.backlog == 0 {
			err := w.err
			w.mu.Unlock()
			return err
		}
		// New events go to another buffer while these are written.
		parts := w.parts
		w.parts = []part{{data: w.spare[:0]}}
		w.spare, w.backlog = nil, 0
		w.mu.Unlock()
		if err := w.write(parts); err != nil {
			return err
		}
	}
}

// write writes parts, and records for Status whether it has succeeded.
func (w *Writer) write(parts []part) error {
	for i, p := range parts {
		good, err := w.writePart(p)
		if err != nil {
			lost := len(p.data) - good
			for _, p := range parts[i+1:] {
				lost += len(p.data)
			}
			w.failed(err, int64(lost))
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.err, w.since = nil, 0
	}
	if last := parts[len(parts)-1].data; w.spare == nil && cap(last) <= 4*FlushBytes {
		w.spare = last
	}
	return nil
}

// writePart writes one part. It returns the number of bytes that it has written, not counting an
// incomplete line at the end.
func (w *Writer) writePart(p part) (good int, err error) {
	o := &w.current
	if p.beginsSegment {
		if err := w.begin(p.offset); err != nil {
			return 0, err
		}
	}
	n, err := o.file.Write(p.data)
	if err == nil {
		o.size += int64(n)
		if p.beginsSegment {
			_ = w.dropOldest() // after an error, the next segment tries again
		}
		return n, nil
	}
	good = bytes.LastIndexByte(p.data[:n], '\n') + 1
	o.size += int64(good)
	if o.size == 0 {
		// Not even the header was written: the next attempt creates the same file again.
		err = errors.Join(err, o.file.Close(), w.st.Remove(SegmentName(o.offset)))
		o.file = nil
		return 0, err
	}
	// Cut off an incomplete line.
	return good, errors.Join(err, o.file.Truncate(o.size))
}

// begin closes the current file and creates the file of the segment at offset.
func (w *Writer) begin(offset int64) error {
	o := &w.current
	if o.file != nil {
		if err := o.file.Close(); err != nil {
			return err
		}
		o.file = nil
	}
	o.offset, o.size = offset, 0
	// An earlier attempt at this offset may have failed and left a saved state.
	if err := w.st.Remove(StateName(offset)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := w.st.Create(SegmentName(offset))
	o.file = f
	if err != nil {
		o.file = nil
	}
	return err
}

// failed stops the log after a failed write. lost is the number of bytes that could not be written.
// Events that were added since are dropped too.
func (w *Writer) failed(err error, lost int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += lost
	w.failLocked(err)
	w.end = w.current.offset + w.current.size
}

// failLocked stops the log: it drops the waiting events, and Append drops further events
// until Rotate begins a new segment.
func (w *Writer) failLocked(err error) {
	if w.err == nil {
		w.since = w.enc.last
	}
	w.err, w.stopped = err, true
	w.retry = w.enc.last + RetryDelay
	w.lost += int64(w.backlog)
	w.end -= int64(w.backlog)
	w.parts, w.backlog = nil, 0
}

// Close writes the waiting events and ends the log. Later events are dropped.
func (w *Writer) Close() error {
	w.mu.Lock()
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.closed = true
	w.mu.Unlock()
	err := w.Flush()
	w.writing.Lock()
	defer w.writing.Unlock()
	if w.current.file != nil {
		err = errors.Join(err, w.current.file.Close())
		w.current.file = nil
	}
	return err
}
