package eventlog

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"io"
	"io/fs"
	"slices"
)

// maxState is the maximum size of a saved state that is read, in bytes, compressed or not.
const maxState = 256 << 20

// SaveState saves the session's state at the beginning of the segment at offset, in parts that
// the session has encoded. It replaces a state saved there before. If the segment has been removed,
// SaveState saves nothing and returns no error.
func SaveState(st Store, offset int64, parts [][]byte) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(z).Encode(parts); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := st.Put(StateName(offset), b.Bytes()); err != nil {
		return err
	}
	f, _, err := st.Open(SegmentName(offset))
	if errors.Is(err, fs.ErrNotExist) { // dropOldest has removed the segment
		return st.Remove(StateName(offset))
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// State returns the parts of the saved state at the start of segment i.
func (l *Log) State(i int) (parts [][]byte, err error) {
	b, err := load(l.st, StateName(l.Segments[i].Offset), maxState)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(z, maxState)) // to the end, where gzip verifies the checksum
	if err != nil {
		return nil, err
	}
	return parts, gob.NewDecoder(bytes.NewReader(data)).Decode(&parts)
}

// dropOldest removes the oldest segments and their saved states if the log exceeds Options.MaxBytes.
func (w *Writer) dropOldest() error {
	l, err := Open(w.st)
	if err != nil {
		return err
	}
	for _, s := range l.Segments[:l.excess(w.opt.MaxBytes)] {
		// The segment is removed first, so that a SaveState under way finds it missing.
		if err := w.st.Remove(SegmentName(s.Offset)); err != nil {
			return err
		}
		if err := w.st.Remove(StateName(s.Offset)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// excess returns the number of oldest segments to remove so that the rest fits into maxBytes and
// begins with a saved state. If none of the segments that fit has a saved state, older segments stay
// too, back to the latest saved state or the log's beginning. But if the segments from there on have
// more than 2*maxBytes without their saved states, only the segments that fit stay.
func (l *Log) excess(maxBytes int64) int {
	segs := l.Segments
	size, cut := l.total(), 0
	for ; cut < len(segs)-1 && size > maxBytes; cut++ {
		size -= segs[cut].Size + segs[cut].stateSize
	}
	if cut == 0 {
		return 0
	}
	if i := slices.IndexFunc(segs[cut:], func(s Segment) bool { return s.HasState }); i >= 0 {
		return cut + i
	}
	from, events := len(segs)-1, segs[len(segs)-1].Size
	for from > 0 && !segs[from].HasState {
		from--
		events += segs[from].Size
	}
	if events > 2*maxBytes {
		return cut
	}
	return from
}

// total returns the size of all segments and saved states, in bytes.
func (l *Log) total() (n int64) {
	for _, s := range l.Segments {
		n += s.Size + s.stateSize
	}
	return n
}
