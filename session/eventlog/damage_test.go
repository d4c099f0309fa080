package eventlog

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// damagedLog writes a log of three segments, with ten lines of output in each.
func damagedLog(t *testing.T) *MemStore {
	t.Helper()
	st := &MemStore{}
	w := create(t, st, Options{SegmentBytes: 1, Direct: true})
	for n := range 30 {
		at := time.Duration(n) * time.Millisecond
		if n%10 == 0 && n > 0 {
			if _, ok := w.Rotate(at); !ok {
				t.Fatal("no new segment")
			}
		}
		w.Append(Event{Kind: Output, At: at, Data: fmt.Appendf(nil, "line %d\xff\r\n", n)})
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return st
}

// segments returns the names of a log's segments.
func segments(t *testing.T, st Store) (names []string) {
	t.Helper()
	all, err := st.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		if strings.HasSuffix(name, segmentSuffix) {
			names = append(names, name)
		}
	}
	return names
}

// TestDamageTold damages a log in many ways, and checks that what cannot be read is counted, and
// only once, however often the log is read.
func TestDamageTold(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(*MemStore, []string)
		ended  bool
		want   string
	}{
		"none": {damage: func(*MemStore, []string) {}},
		"a line": {damage: func(st *MemStore, names []string) {
			f := st.files[names[1]]
			f.data = bytes.Replace(f.data, []byte(`"o","line 15`), []byte(`"o"}"line 15`), 1)
		}, want: "1 record of the log cannot be read"},
		"lines": {damage: func(st *MemStore, names []string) {
			for _, name := range names {
				f := st.files[name]
				f.data = bytes.ReplaceAll(f.data, []byte(`"o"`), []byte("\x00\x00\x00"))
			}
		}, want: "30 records of the log cannot be read"},
		"exact bytes": {damage: func(st *MemStore, names []string) {
			f := st.files[names[2]]
			f.data = bytes.Replace(f.data, []byte("bGluZSAyMf8NCg=="), []byte("bGl?ZSAyMf8NCg=="), 1)
		}, want: "1 record of the log cannot be read"},
		"an unknown kind": {damage: func(st *MemStore, names []string) {
			f := st.files[names[0]]
			f.data = append(f.data[:len(f.data):len(f.data)], "[0,\"z\",\"of a later version\"]\n"...)
		}},
		"a segment gone": {damage: func(st *MemStore, names []string) { _ = st.Remove(names[1]) }, want: "# bytes of the log are missing"},
		"a header": {damage: func(st *MemStore, names []string) {
			st.files[names[2]].data[0] = 'x'
		}, want: "# bytes of the log are missing"},
		"the first header": {damage: func(st *MemStore, names []string) {
			st.files[names[0]].data[0] = 'x'
		}, want: "# bytes of the log are missing"},
		"all headers": {damage: func(st *MemStore, names []string) {
			for _, name := range names {
				st.files[name].data[0] = 'x'
			}
		}, want: "3 records of the log cannot be read"},
		"a segment cut": {damage: func(st *MemStore, names []string) {
			f := st.files[names[1]]
			f.data = f.data[:len(f.data)-20]
		}, want: "1 record of the log cannot be read, and 20 bytes of the log are missing"},
		"the end cut, of a log that may be written": {damage: cutEnd},
		"the end cut": {damage: cutEnd, ended: true, want: "1 record of the log cannot be read"},
		"a line without end": {damage: func(st *MemStore, names []string) {
			f := st.files[names[1]]
			f.data = bytes.ReplaceAll(f.data, []byte("\n"), []byte(" "))
		}, want: "# bytes of the log are missing"}, // the segment has no header any more
	} {
		t.Run(name, func(t *testing.T) {
			st := damagedLog(t)
			if err := SaveMeta(st, Meta{Session: "s1", Command: "bash"}); err != nil {
				t.Fatal(err)
			}
			tt.damage(st, segments(t, st))
			l, err := Open(st)
			if err != nil {
				t.Fatal(err)
			}
			l.Ended = tt.ended
			for range 2 {
				for _, err := range l.Events() {
					if err != nil && l.Segments[0].Offset == 0 {
						t.Fatal(err)
					}
				}
				for i := range l.Segments {
					for range l.Segment(i) {
					}
				}
			}
			got := l.Damage().String()
			if n := l.Damage().Bytes; n > 0 {
				tt.want = strings.Replace(tt.want, "#", fmt.Sprint(n), 1)
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// cutEnd cuts the last line.
func cutEnd(st *MemStore, names []string) {
	f := st.files[names[2]]
	f.data = f.data[:len(f.data)-3]
}
