package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
)

// TestMain fails if a test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start describes the session of the tests' logs.
func start() Start {
	return Start{Session: "s1", Command: "bash -i", Time: time.Unix(1_700_000_000, 0), Rows: 24, Cols: 80}
}

// create creates a log that is closed when the test ends.
func create(t *testing.T, st Store, o Options) *Writer {
	t.Helper()
	w, err := Create(st, start(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// events returns all events of a log.
func events(t *testing.T, st Store) []Event {
	t.Helper()
	l, err := Open(st)
	if err != nil {
		t.Fatal(err)
	}
	var list []Event
	for e, err := range l.Events() {
		if err != nil {
			t.Fatal(err)
		}
		e.Data = bytes.Clone(e.Data)
		list = append(list, e)
	}
	return list
}

// outputOf joins the output of events.
func outputOf(list []Event) (all []byte) {
	for _, e := range list {
		if e.Kind == Output {
			all = append(all, e.Data...)
		}
	}
	return all
}

// TestEveryKind checks that one event of each kind is read back as it was written, from the
// beginning and from each event on.
func TestEveryKind(t *testing.T) {
	dir := DirStore(t.TempDir())
	w := create(t, dir, Options{})
	in := []Event{
		{Kind: Output, At: 1500 * time.Microsecond, Data: []byte("\x1b[1m\"日本\"\\\r\n\x00\x7f\t")},
		{Kind: Note, At: time.Second, Name: NoteInput, Data: []byte(`{"number":1,"size":3}`)},
		{Kind: Input, At: time.Second, Data: []byte("ls\r")},
		{Kind: Resize, At: 61 * time.Second, Rows: 30, Cols: 100},
		{Kind: Marker, At: 62 * time.Second, Data: []byte("a mark")},
		{Kind: Exit, At: time.Hour + time.Microsecond, Code: 137},
	}
	for _, e := range in {
		w.Append(e)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	got := events(t, dir)
	if len(got) != len(in) {
		t.Fatalf("%d events of %d: %+v", len(got), len(in), got)
	}
	for i, e := range got {
		want := in[i]
		if e.Kind != want.Kind || e.At != want.At || e.Name != want.Name || e.Rows != want.Rows || e.Cols != want.Cols || e.Code != want.Code {
			t.Errorf("event %d: %+v, want %+v", i, e, want)
		}
		if want.Data != nil && !bytes.Equal(e.Data, want.Data) {
			t.Errorf("event %d: %q, want %q", i, e.Data, want.Data)
		}
		if i > 0 && e.Offset != got[i-1].Next {
			t.Errorf("event %d begins at %d, the one before ends at %d", i, e.Offset, got[i-1].Next)
		}
	}
	if last := got[len(got)-1].Next; last != w.End() {
		t.Errorf("the last event ends at %d, the log at %d", last, w.End())
	}
}

// cuts are pieces of output: bytes that are not text, and characters that are cut where a read may
// end.
var cuts = []string{
	"plain", "", "\xe6", "\x97", "\xa5x", "日\xe6\x97", "a", "\xff\xfe", "\xf0\x9f", "\x98\x80", "\xf0", "\x9f", "\x98", "\x80",
	"\xc3", "\xff", "\x80", "e\u0301\u202e\u2028", "\xed\xa0\x80", "\xf4\x90\x80\x80", "tail \xe6\x97",
}

// TestBytesAreExact checks that any output is read back byte by byte and read by read, and that the
// text for players is valid and complete.
func TestBytesAreExact(t *testing.T) {
	cuts := slices.Clone(cuts)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		cuts = append(cuts, string(cuts[rng.IntN(20)])+cuts[rng.IntN(20)])
		b := make([]byte, rng.IntN(9))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		cuts = append(cuts, string(b))
	}
	st := &MemStore{}
	w := create(t, st, Options{})
	for i, p := range cuts {
		w.Append(Event{Kind: Output, At: time.Duration(i) * time.Millisecond, Data: []byte(p)})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := events(t, st)
	if len(got) != len(cuts) {
		t.Fatalf("%d events of %d", len(got), len(cuts))
	}
	for i, e := range got {
		if string(e.Data) != cuts[i] || e.At != time.Duration(i)*time.Millisecond {
			t.Fatalf("event %d at %v: %q, want %q", i, e.At, e.Data, cuts[i])
		}
	}
	if text, want := playerText(t, st), strings.ToValidUTF8(strings.Join(cuts, ""), "\uFFFD"); !sameText(text, want) {
		t.Errorf("the player's text differs")
	}
}

// sameText reports whether two texts are equal apart from U+FFFD. How many of those stand for
// invalid bytes in a row depends on where the bytes were cut.
func sameText(a, b string) bool {
	strip := func(s string) string { return strings.ReplaceAll(s, "\uFFFD", "") }
	return strip(a) == strip(strings.TrimRight(b, "\uFFFD")) || strip(a) == strip(b)
}

// playerText joins the text of all o lines as a player does, with a general JSON parser.
func playerText(t *testing.T, st Store) string {
	t.Helper()
	var out strings.Builder
	names, _ := st.Names()
	for _, name := range names {
		if _, ok := segmentOffset(name); !ok {
			continue
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(raw(t, st, name)), "\n"), "\n") {
			if i == 0 {
				continue
			}
			var gap float64
			var code, text string
			if err := json.Unmarshal([]byte(line), &[]any{&gap, &code, &text}); err != nil || !utf8.Valid([]byte(line)) {
				t.Fatalf("line %d is not an event: %q, %v", i, line, err)
			}
			if code == string(Output) {
				out.WriteString(text)
			}
		}
	}
	return out.String()
}

// raw returns the contents of a file in a store.
func raw(t *testing.T, st Store, name string) []byte {
	t.Helper()
	f, _, err := st.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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

// TestState checks that a saved state is found, and that a damaged one is never read as another.
func TestState(t *testing.T) {
	dir := t.TempDir()
	st := DirStore(dir)
	if err := create(t, st, Options{}).Flush(); err != nil {
		t.Fatal(err)
	}
	if l := opened(t, st); l.Segments[0].HasState {
		t.Error("a state before it was saved")
	}
	want := [][]byte{[]byte("one"), nil, []byte("three\n")}
	if err := SaveState(st, 0, want); err != nil {
		t.Fatal(err)
	}
	l := opened(t, st)
	if got, err := l.State(0); err != nil || !l.Segments[0].HasState || !slices.EqualFunc(got, want, bytes.Equal) {
		t.Fatalf("got %q, %v", got, err)
	}
	file := filepath.Join(dir, StateName(0))
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
			if err := st.Put(StateName(0), b); err != nil {
				t.Fatal(err)
			}
			// Nothing depends on some bits of a gzip file, such as its time.
			if got, err := l.State(0); err == nil && !slices.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("damaged at byte %d: %q", i, got)
			}
		}
	}
}

// TestExcess checks which segments go when the log may have 100 bytes. A segment is its number of
// bytes; with a state, also the state's number of bytes.
func TestExcess(t *testing.T) {
	for _, c := range []struct {
		segments [][2]int64
		want     int
	}{
		{[][2]int64{{30, 0}, {30, 10}, {30, 0}}, 0},
		{[][2]int64{{60, 0}, {60, 10}, {10, 0}}, 1},
		{[][2]int64{{60, 0}, {60, 0}, {10, 10}}, 2},
		{[][2]int64{{60, 0}, {60, 0}, {10, 0}}, 0},
		{[][2]int64{{60, 10}, {60, 0}, {10, 0}}, 0},
		{[][2]int64{{60, 0}, {60, 10}, {60, 0}, {60, 0}}, 1},
		{[][2]int64{{30, 0}, {30, 400}, {30, 0}}, 1}, // the state alone is larger
		{[][2]int64{{30, 400}, {30, 400}, {30, 0}}, 1},
		{[][2]int64{{60, 0}, {60, 0}, {60, 0}, {60, 0}}, 3}, // no state was saved for too long
		{[][2]int64{{60, 10}, {60, 0}, {60, 0}, {60, 0}}, 3},
	} {
		var l Log
		for _, s := range c.segments {
			l.Segments = append(l.Segments, Segment{Size: s[0], HasState: s[1] > 0, stateSize: s[1]})
		}
		if got := l.excess(100); got != c.want {
			t.Errorf("%v: %d segments go, want %d", c.segments, got, c.want)
		}
	}
}

// TestStateOfRemovedSegment checks that a state that is saved after its segment was removed leaves
// no file.
func TestStateOfRemovedSegment(t *testing.T) {
	st := DirStore(t.TempDir())
	create(t, st, Options{})
	if err := SaveState(st, 4096, [][]byte{[]byte("state")}); err != nil {
		t.Fatal(err)
	}
	if names, err := st.Names(); err != nil || slices.Contains(names, StateName(4096)) {
		t.Errorf("files %q, %v", names, err)
	}
}

// TestSegments checks that segments are rotated by size, that the log stays within its
// limit, and that it begins with a segment that has a state.
func TestSegments(t *testing.T) {
	dir := t.TempDir()
	st := DirStore(dir)
	o := Options{SegmentBytes: 1000, MaxBytes: 5000}
	w := create(t, st, o)
	var at time.Duration
	put := func(i int) {
		w.Append(Event{Kind: Output, At: at, Data: fmt.Appendf(nil, "line %d\n", i)})
		if offset, ok := w.Rotate(at); ok {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := SaveState(st, offset, [][]byte{nil, fmt.Appendf(nil, "state after %d", i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 2000 {
		at += time.Millisecond
		put(i)
		if i%10 == 9 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	l, err := Open(st)
	if err != nil {
		t.Fatal(err)
	}
	if size := l.total(); size > o.MaxBytes+2*o.SegmentBytes || size < o.MaxBytes/2 {
		t.Errorf("%d bytes kept, want at most about %d", size, o.MaxBytes)
	}
	if l.Segments[0].Offset == 0 || !l.Segments[0].HasState {
		t.Fatalf("the log begins with %+v", l.Segments[0])
	}
	state, err := l.State(0)
	if err != nil {
		t.Fatal(err)
	}
	var n, last int
	if _, err := fmt.Sscanf(string(state[1]), "state after %d", &n); err != nil {
		t.Fatal(err)
	}
	for i, e := range events(t, st) {
		if _, err := fmt.Sscanf(string(e.Data), "line %d\n", &last); err != nil || last != n+1+i {
			t.Fatalf("event %d is %q, want line %d", i, e.Data, n+1+i)
		}
	}
	if last != 1999 {
		t.Errorf("the last line is %d", last)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != fileMode {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// TestCutAnywhere checks that a log that is cut at any byte is read up to the cut, without errors.
func TestCutAnywhere(t *testing.T) {
	st := &MemStore{}
	w := create(t, st, Options{})
	for _, p := range cuts[:20] {
		w.Append(Event{Kind: Output, Data: []byte(p)})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := events(t, st)
	file := raw(t, st, SegmentName(0))
	for n := range file {
		cut := &MemStore{}
		if err := cut.Put(SegmentName(0), file[:n]); err != nil {
			t.Fatal(err)
		}
		l, err := Open(cut)
		if err != nil {
			if !errors.Is(err, ErrNoLog) || bytes.IndexByte(file, '\n') < n {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		i := 0
		for e, err := range l.Events() {
			if err != nil || string(e.Data) != string(whole[i].Data) {
				t.Fatalf("cut at %d, event %d: %q, %v", n, i, e.Data, err)
			}
			i++
		}
		if i < len(whole) && whole[i].Next <= int64(n) {
			t.Errorf("cut at %d: only %d events", n, i)
		}
	}
}
