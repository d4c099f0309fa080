package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"sync"
)

const (
	// maxLine is the maximum length of a line, in bytes.
	maxLine = 64 << 20
	// readSize is the size of the buffer for reading.
	readSize = 128 << 10
)

// A Log is the content of a store at the time of Open. It may be read while a Writer appends;
// later events are not in the Log. It is safe for concurrent use.
type Log struct {
	Segments []Segment // oldest first, at least one
	Ended    bool      // no Writer appends to the store (see Damage); set this before reading
	st       Store

	mu      sync.Mutex // guards what follows
	damage  Damage
	counted int64 // unreadable lines that begin before this log offset are not counted again
}

// Open opens a log for reading. It skips segments without a complete header, such as a crash may
// leave. If all headers are damaged and there is metadata, Open takes the segments for those of a
// terminal with 24 rows and 80 columns. If there is no metadata or no segment, the error is
// ErrNoLog.
func Open(st Store) (*Log, error) {
	offsets, states, err := Offsets(st)
	if err != nil {
		return nil, err
	}
	l := &Log{st: st}
	var bad []Segment
	var end int64 // log offset of the end
	for i, offset := range offsets {
		s, err := openSegment(st, offset)
		damaged := errors.Is(err, ErrNoLog)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // the segment was removed meanwhile
		case err != nil && !damaged:
			return nil, fmt.Errorf("%s: %w", SegmentName(offset), err)
		}
		if s.HasState = states[offset]; s.HasState {
			s.stateSize = sizeOf(st, StateName(offset))
		}
		if i > 0 {
			l.damage.Bytes += max(offset-end, 0)
		}
		end = offset + s.Size
		if damaged {
			l.damage.Bytes += s.Size
			bad = append(bad, s)
		} else {
			l.Segments = append(l.Segments, s)
		}
	}
	if len(l.Segments) == 0 {
		l.salvage(bad)
	}
	if len(l.Segments) == 0 {
		return nil, ErrNoLog
	}
	return l, nil
}

// salvage adds segments whose headers cannot be read, if there is metadata.
func (l *Log) salvage(bad []Segment) {
	m, err := LoadMeta(l.st)
	if err != nil {
		return
	}
	for _, s := range bad {
		s.Start, s.Pipe, s.Rows, s.Cols, s.command = m.CreatedAt, m.Pipe, 24, 80, m.Command
		l.Segments = append(l.Segments, s)
	}
	l.damage = Damage{Records: len(bad)}
}

// sizeOf returns a file's size, or 0 if it cannot be opened.
func sizeOf(st Store, name string) int64 {
	f, size, err := st.Open(name)
	if err != nil {
		return 0
	}
	_ = f.Close() // it was only read
	return size
}

// openSegment reads the header of the segment at an offset. If the header is incomplete or damaged,
// the error wraps ErrNoLog, and the Segment has only Offset, Size and header.
func openSegment(st Store, offset int64) (Segment, error) {
	f, size, err := st.Open(SegmentName(offset))
	if err != nil {
		return Segment{}, err
	}
	defer f.Close()
	line, err := readLine(bufio.NewReader(io.LimitReader(f, size)))
	var s Segment
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, errTorn):
		err = ErrNoLog
	case err == nil:
		var h header
		h, err = parseHeader(line)
		s = h.segment()
	}
	s.Offset, s.Size, s.header = offset, size, int64(len(line))+1
	return s, err
}

// Command returns the session's command, as a person would type it.
func (l *Log) Command() string { return l.Segments[0].command }

// Events returns all events. Lines that cannot be read are skipped.
func (l *Log) Events() iter.Seq2[Event, error] { return l.segments(0, len(l.Segments)) }

// Segment returns the events of segment i.
func (l *Log) Segment(i int) iter.Seq2[Event, error] { return l.segments(i, i+1) }

// segments returns the events of segments i to end-1.
func (l *Log) segments(i, end int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for n := i; n < end; n++ {
			if err := l.read(n, yield); err != nil {
				if !errors.Is(err, errStop) {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}

// errStop ends an iteration: the caller wants no more events.
var errStop = errors.New("stop")

// read yields the events of segment i.
func (l *Log) read(i int, yield func(Event, error) bool) error {
	s := &l.Segments[i]
	limit := s.Size
	if i+1 < len(l.Segments) {
		// Bytes after the next segment's offset are from a failed write that Truncate could not remove.
		limit = min(limit, l.Segments[i+1].Offset-s.Offset)
	}
	f, _, err := l.st.Open(SegmentName(s.Offset))
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.LimitReader(f, limit), readSize)
	d := Decoder{at: s.Began}
	at, start := s.Offset, s.Offset
	for {
		line, err := readLine(r)
		switch {
		case errors.Is(err, errTorn):
			if l.Ended || i+1 < len(l.Segments) {
				l.countUnreadable(at)
			}
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		next := at + int64(len(line)) + 1
		if at >= s.Offset+s.header {
			e, ok, bad := d.Decode(line)
			if bad {
				l.countUnreadable(at)
			}
			if !d.exact {
				e.Offset, e.Next = start, next
			}
			if ok && !yield(e, nil) {
				return errStop
			}
		}
		at = next
		if !d.exact {
			start = next
		}
	}
}

// errTorn is returned for a last line without a line feed, and for a line that is longer than
// maxLine.
var errTorn = errors.New("a line without its end")

// readLine returns the next line without its line feed. The line is valid until the next read.
// The error is io.EOF at the end of the file, and errTorn for a last line that is incomplete, or a
// line longer than maxLine.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
	}
	for errors.Is(err, bufio.ErrBufferFull) && len(line) <= maxLine {
		var more []byte
		more, err = r.ReadSlice('\n')
		line = append(line, more...)
	}
	switch {
	case len(line) > maxLine, errors.Is(err, io.EOF) && len(line) > 0:
		return nil, errTorn
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}
