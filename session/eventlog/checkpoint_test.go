package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// checkpointed writes a log of several segments to a store, and returns its events.
func checkpointed(t *testing.T, st Store) []Event {
	t.Helper()
	w := create(t, st, Options{SegmentBytes: 2000, MaxBytes: 1 << 30})
	for i := range 200 {
		at := time.Duration(i) * time.Millisecond
		w.Append(Event{Kind: Output, At: at, Data: fmt.Appendf(nil, "line %d of some \xff output\r\n", i)})
		w.Append(Event{Kind: Input, At: at, Data: []byte("é"[:1+i%2])})
		w.Rotate(at)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return events(t, st)
}

// opened opens a log.
func opened(t *testing.T, st Store) *Log {
	t.Helper()
	l, err := Open(st)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestFrom checks that reading a log on from every event gives the events that a reader from the
// start gets, in memory and on disk.
func TestFrom(t *testing.T) {
	for name, st := range map[string]Store{"memory": &MemStore{}, "disk": DirStore(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			all := checkpointed(t, st)
			l := opened(t, st)
			if len(l.Segments) < 4 {
				t.Fatalf("%d segments", len(l.Segments))
			}
			for i, want := range all[:len(all)-1] {
				n := i + 1
				for e, err := range l.From(want.Next, want.At) {
					if err != nil {
						t.Fatalf("from %d: %v", want.Next, err)
					}
					if w := all[n]; e.Offset != w.Offset || e.At != w.At || !bytes.Equal(e.Data, w.Data) {
						t.Fatalf("from %d: event %d is %+v, want %+v", want.Next, n, e, w)
					}
					if n++; n > i+5 {
						break
					}
				}
				if n != min(i+6, len(all)) {
					t.Fatalf("from %d: %d events", want.Next, n-i-1)
				}
			}
			for _, offset := range []int64{all[3].Offset + 1, l.Segments[1].Offset + 1, 1 << 40, -1} {
				var got error
				for _, err := range l.From(offset, 0) {
					got = err
				}
				if !errors.Is(got, ErrOffset) {
					t.Errorf("from %d: %v", offset, got)
				}
			}
		})
	}
}

// TestCheckpoint checks that a saved checkpoint is found, and that none is found if it is damaged
// anywhere, belongs to another log, or its place is not one of the log's.
func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	st := DirStore(dir)
	all := checkpointed(t, st)
	if _, err := opened(t, st).Checkpoint(); !errors.Is(err, ErrNoLog) {
		t.Errorf("without a checkpoint: %v", err)
	}
	want := Checkpoint{Offset: all[100].Next, At: all[100].At, Parts: [][]byte{[]byte("one"), nil, []byte("three\n")}}
	if err := SaveCheckpoint(st, want); err != nil {
		t.Fatal(err)
	}
	got, err := opened(t, st).Checkpoint()
	if err != nil || got.Offset != want.Offset || got.At != want.At || !slices.EqualFunc(got.Parts, want.Parts, bytes.Equal) {
		t.Fatalf("got %+v, %v", got, err)
	}
	file := filepath.Join(dir, checkpointName)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0x20
		for _, b := range [][]byte{damaged, whole[:i]} {
			if err := st.Put(checkpointName, b); err != nil {
				t.Fatal(err)
			}
			if c, err := opened(t, st).Checkpoint(); !errors.Is(err, ErrNoLog) {
				t.Fatalf("damaged at byte %d: %+v, %v", i, c, err)
			}
		}
	}
	for name, c := range map[string]Checkpoint{
		"within a line": {Offset: all[100].Next + 1},
		"after the end": {Offset: all[len(all)-1].Next + 1},
		"in the header": {Offset: 1},
	} {
		if err := SaveCheckpoint(st, c); err != nil {
			t.Fatal(err)
		}
		if c, err := opened(t, st).Checkpoint(); !errors.Is(err, ErrNoLog) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	other := &MemStore{}
	s := start()
	s.Time = s.Time.Add(time.Second)
	w, err := Create(other, s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := other.Put(checkpointName, whole); err != nil {
		t.Fatal(err)
	}
	if c, err := opened(t, other).Checkpoint(); !errors.Is(err, ErrNoLog) {
		t.Errorf("checkpoint of another session: %+v, %v", c, err)
	}
}
