package eventlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"
)

const (
	// maxLine is the longest line that is read.
	maxLine = 64 << 20
	// readSize is how much is read at once.
	readSize = 128 << 10
)

// A Log is what a store held when it was opened. It may be read while a Writer
// appends; what came later is not seen. It is safe for concurrent use.
type Log struct {
	Segments []Segment // oldest first, at least one
	st       Store
}

// Open opens a log for reading. Segments without a whole header, as a crash may
// leave one, are left out.
func Open(st Store) (*Log, error) {
	names, err := st.Names()
	if err != nil {
		return nil, err
	}
	l := &Log{st: st}
	for _, name := range names {
		offset, ok := segmentOffset(name)
		if !ok {
			continue
		}
		s, err := openSegment(st, name)
		switch {
		case errors.Is(err, ErrNoLog) || errors.Is(err, fs.ErrNotExist):
			continue // torn, or removed by now
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Offset = offset
		s.State = slices.Contains(names, stateName(offset))
		if s.State {
			s.stateSize = sizeOf(st, stateName(offset))
		}
		l.Segments = append(l.Segments, s)
	}
	if len(l.Segments) == 0 {
		return nil, ErrNoLog
	}
	slices.SortFunc(l.Segments, func(a, b Segment) int { return int(min(max(a.Offset-b.Offset, -1), 1)) })
	return l, nil
}

// sizeOf returns a file's size, 0 when it is gone.
func sizeOf(st Store, name string) int64 {
	f, size, err := st.Open(name)
	if err != nil {
		return 0
	}
	_ = f.Close() // it was only read
	return size
}

// openSegment reads a segment's header.
func openSegment(st Store, name string) (Segment, error) {
	f, size, err := st.Open(name)
	if err != nil {
		return Segment{}, err
	}
	defer f.Close()
	line, err := readLine(bufio.NewReader(io.LimitReader(f, size)))
	if errors.Is(err, io.EOF) {
		return Segment{}, ErrNoLog
	}
	if err != nil {
		return Segment{}, err
	}
	s, err := parseHeader(line)
	s.Size = size
	return s, err
}

// First returns the log offset of the oldest event kept.
func (l *Log) First() int64 { return l.Segments[0].Offset + l.Segments[0].header }

// State returns the state at the start of segment i, which must have one.
func (l *Log) State(i int) ([]byte, error) { return loadState(l.st, l.Segments[i].Offset) }

// Segment returns the events of segment i.
func (l *Log) Segment(i int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := l.read(i, 0, yield); err != nil && !errors.Is(err, errStop) {
			yield(Event{}, err)
		}
	}
}

// Command returns the session's command, as a person would type it.
func (l *Log) Command() string { return l.Segments[0].command }

// Events returns the events from a log offset on, which must be one of an event
// or of a segment; those before the kept part are an error. Lines that cannot be
// read are left out.
func (l *Log) Events(from int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if from < l.Segments[0].Offset {
			yield(Event{}, fmt.Errorf("%w: offset %d; it begins at %d", ErrOffset, from, l.First()))
			return
		}
		for i := range l.Segments {
			if i+1 < len(l.Segments) && l.Segments[i+1].Offset <= from {
				continue
			}
			if err := l.read(i, from, yield); err != nil {
				if !errors.Is(err, errStop) {
					yield(Event{}, err)
				}
				return
			}
		}
	}
}

// errStop says that the caller wants no more events.
var errStop = errors.New("stop")

// read gives the events of segment i that lie at from or later.
func (l *Log) read(i int, from int64, yield func(Event, error) bool) error {
	s := &l.Segments[i]
	limit := s.Size
	if i+1 < len(l.Segments) {
		// What lies beyond was cut off when writing failed.
		limit = min(limit, l.Segments[i+1].Offset-s.Offset)
	}
	f, _, err := l.st.Open(segmentName(s.Offset))
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(io.LimitReader(f, limit), readSize)
	d := decoder{at: s.Began}
	at, start := s.Offset, s.Offset
	for n := 0; ; n++ {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		next := at + int64(len(line)) + 1
		if n > 0 && !(n == 1 && s.screen) {
			e, ok, _ := d.event(line)
			if !d.exact {
				e.Offset, e.Next = start, next
			}
			if ok && e.Offset >= from && !yield(e, nil) {
				return errStop
			}
		}
		at = next
		if !d.exact {
			start = next
		}
	}
}

// readLine returns the next line without its end. It lies in the reader's buffer,
// or when it is long in a new one. io.EOF says that no whole line is left.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err == nil {
		return line[:len(line)-1], nil
	}
	if !errors.Is(err, bufio.ErrBufferFull) {
		return nil, err
	}
	long := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = r.ReadSlice('\n')
		long = append(long, line...)
		if len(long) > maxLine {
			return nil, io.EOF // no line of ours: the file is damaged from here on
		}
	}
	if err != nil {
		return nil, err
	}
	return long[:len(long)-1], nil
}

// Newest returns the name of a log's newest segment. The error is ErrNoLog where
// there is none.
func Newest(st Store) (string, error) {
	names, err := st.Names()
	newest, last := "", int64(-1)
	for _, n := range names {
		if offset, ok := segmentOffset(n); ok && offset > last {
			newest, last = n, offset
		}
	}
	if err == nil && last < 0 {
		err = ErrNoLog
	}
	return newest, err
}
