package eventlog

import (
	"bytes"
	"compress/flate"
	"io"
	"slices"
	"time"
)

// MaxState is the maximum size of a state that is read, in bytes.
const MaxState = 256 << 20

// SaveState saves the state of the terminal at the beginning of the segment at offset. It
// replaces an earlier one.
func SaveState(st Store, offset int64, state []byte) error {
	var b bytes.Buffer
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return err
	}
	if _, err := z.Write(state); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return st.Put(StateName(offset), b.Bytes())
}

// loadState loads a state saved by SaveState.
func loadState(st Store, offset int64) ([]byte, error) {
	b, err := load(st, StateName(offset), MaxState)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), MaxState))
}

// retain removes the oldest segments when the log exceeds its limits.
func (w *Writer) retain() error {
	l, err := Open(w.st)
	if err != nil {
		return err
	}
	w.mu.Lock()
	now := w.enc.last
	w.mu.Unlock()
	cut := l.excess(w.opt.MaxBytes, now)
	for _, s := range l.Segments[:cut] {
		if s.State {
			if err := w.st.Remove(StateName(s.Offset)); err != nil {
				return err
			}
		}
		if err := w.st.Remove(SegmentName(s.Offset)); err != nil {
			return err
		}
	}
	return nil
}

// excess returns the number of oldest segments to remove at the time now. The remaining log
// must begin with a saved state; if none has one, segments are removed only when the log is
// larger than twice maxBytes.
func (l *Log) excess(maxBytes int64, now time.Duration) int {
	segs := l.Segments
	total := l.total()
	rest, want := total, 0
	for ; want < len(segs)-1 && (rest > maxBytes || now-segs[want+1].Began > maxAge); want++ {
		rest -= segs[want].Size + segs[want].stateSize
	}
	saved := slices.IndexFunc(segs[want:], func(s Segment) bool { return s.State })
	switch {
	case want > 0 && saved >= 0:
		return want + saved
	case total > 2*maxBytes:
		return want
	}
	return 0 // a state may still be saved
}

// total returns the size of all segments and states and of the checkpoint, in bytes.
func (l *Log) total() int64 {
	n := l.kept
	for _, s := range l.Segments {
		n += s.Size + s.stateSize
	}
	return n
}
