package replay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/recording"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// recordings returns the recorded programs by name.
func recordings(t testing.TB) map[string]*recording.Recording {
	t.Helper()
	files, err := filepath.Glob("../../emulator/testdata/replay/*/session.cast.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := map[string]*recording.Recording{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := recording.Read(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[filepath.Base(filepath.Dir(name))] = rec
	}
	return all
}

// live is a terminal and its log. Both receive the events of a recording.
type live struct {
	term *emulator.Terminal
	w    *eventlog.Writer
	st   eventlog.Store
	at   time.Duration
}

// began is the start time of the tests' sessions.
var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// newLive returns a new terminal with its log.
func newLive(t testing.TB, st eventlog.Store, size emulator.Size, o eventlog.Options) *live {
	t.Helper()
	w, err := eventlog.Create(st, eventlog.Start{Session: "s1", Command: "x", Time: began, Rows: size.Rows, Cols: size.Cols}, o)
	if err != nil {
		t.Fatal(err)
	}
	return &live{term: emulator.New(emulator.Options{Size: size}), w: w, st: st}
}

// add adds one event of a recording, and rotates the log when that is due.
func (l *live) event(t testing.TB, e recording.Event) {
	t.Helper()
	l.at += 10 * time.Millisecond
	switch e.Kind {
	case recording.Resize:
		l.w.Append(eventlog.Event{Kind: eventlog.Resize, At: l.at, Rows: e.Rows, Cols: e.Cols})
		l.term.Resize(emulator.Size{Rows: e.Rows, Cols: e.Cols})
	case recording.Output:
		l.w.Append(eventlog.Event{Kind: eventlog.Output, At: l.at, Data: e.Data})
		_, _ = l.term.Write(e.Data)
	}
	l.term.TakeReplies()
	l.term.TakeEvents()
	if offset, ok := l.w.Rotate(l.at); ok {
		if err := l.w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := eventlog.SaveState(l.st, offset, savedParts(l.term)); err != nil {
			t.Fatal(err)
		}
	}
}

// savedParts returns the parts of a saved state of which only the terminal can be used.
func savedParts(term *emulator.Terminal) [][]byte {
	return [][]byte{state.PartTerminal: term.State(), state.PartRaw: nil}
}

// remove removes a file of the log.
func (l *live) remove(t testing.TB, name string) {
	t.Helper()
	if err := l.st.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// open opens the log for a replay.
func (l *live) open(t testing.TB) *Replay {
	t.Helper()
	if err := l.w.Flush(); err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.Open(l.st)
	if err != nil {
		t.Fatal(err)
	}
	return New(log, Session{})
}

// TestReplayEqualsLive checks that a replay of each recording, logged in several segments, equals
// the live terminal at moments along the way, by time and by revision: in screen, scrollback,
// styles, cursor and revision.
func TestReplayEqualsLive(t *testing.T) {
	for name, rec := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			size := 0
			for _, e := range rec.Events {
				size += len(e.Data)
			}
			l := newLive(t, &eventlog.MemStore{}, emulator.Size{Rows: rec.Rows, Cols: rec.Cols},
				eventlog.Options{SegmentBytes: int64(max(size/4, 1000)), MaxBytes: 1 << 40})
			type screen struct {
				at   time.Duration
				shot *emulator.Snapshot
			}
			var moments []screen
			for i, e := range rec.Events {
				l.event(t, e)
				if i%(len(rec.Events)/8+1) == 0 || i == len(rec.Events)-1 {
					moments = append(moments, screen{l.at, l.term.Snapshot(-1)})
				}
			}
			r := l.open(t)
			for _, want := range moments {
				for _, m := range []moment{{at: began.Add(want.at)}, {revision: want.shot.Revision}} {
					f, err := at(r, m)
					if err != nil {
						t.Fatalf("%+v: %v", m, err)
					}
					if got := f.Terminal.Snapshot(-1); !reflect.DeepEqual(got, want.shot) {
						t.Fatalf("%+v: revision %d, cursor %+v\n%s\nwant revision %d, cursor %+v\n%s", m,
							got.Revision, got.Cursor, got.Text(), want.shot.Revision, want.shot.Cursor, want.shot.Text())
					}
				}
			}
			checkCast(t, r, l.term)
		})
	}
}

// at returns the terminal at a time or a revision.
func at(r *Replay, m moment) (*Frame, error) {
	text := fmt.Sprint(m.revision)
	if !m.at.IsZero() {
		text = m.at.Format(time.RFC3339Nano)
	}
	return r.At(text, m.at)
}

// TestStateNotSaved checks which moments are ErrPast in a log that has lost its start, and in which
// no segment, or only the last, has a saved state, as after a slow disk. Without any state, times
// can be replayed but revisions cannot.
func TestStateNotSaved(t *testing.T) {
	for _, saved := range []bool{true, false} {
		l := newLive(t, &eventlog.MemStore{}, emulator.Size{Rows: 5, Cols: 20}, eventlog.Options{SegmentBytes: 500, MaxBytes: 1 << 40})
		var from time.Duration // when the last segment began
		for i := range 40 {
			l.event(t, recording.Event{Kind: recording.Output, Data: fmt.Appendf(nil, "line %d of some length\r\n", i)})
		}
		segments := l.open(t).log.Segments
		if len(segments) < 4 {
			t.Fatalf("%d segments", len(segments))
		}
		for i, s := range segments {
			if i == 0 {
				l.remove(t, eventlog.SegmentName(s.Offset))
			}
			if last := i == len(segments)-1; !last || !saved {
				l.remove(t, eventlog.StateName(s.Offset))
			}
			from = s.Began
		}
		r := l.open(t)
		want := l.term.Snapshot(-1)
		for _, m := range []moment{{revision: 1}, {revision: want.Revision}, {at: began.Add(from - 1)}, {at: began.Add(l.at)}} {
			_, err := at(r, m)
			past := saved && (m.revision == 1 || m.at.Before(began.Add(from)) && !m.at.IsZero()) || !saved && m.at.IsZero()
			if errors.Is(err, ErrPast) != past || err != nil && !past {
				t.Errorf("saved %v, %+v: %v", saved, m, err)
			}
		}
	}
}

// TestStateUnreadable checks that revisions are ErrPast in a log that has lost its start and whose
// saved states are of a version that cannot be read.
func TestStateUnreadable(t *testing.T) {
	l := newLive(t, &eventlog.MemStore{}, emulator.Size{Rows: 5, Cols: 20}, eventlog.Options{SegmentBytes: 500, MaxBytes: 1 << 40})
	for i := range 40 {
		l.event(t, recording.Event{Kind: recording.Output, Data: fmt.Appendf(nil, "line %d of some length\r\n", i)})
	}
	segments := l.open(t).log.Segments
	l.remove(t, eventlog.SegmentName(segments[0].Offset))
	for _, s := range segments[1:] {
		if err := l.st.Put(eventlog.StateName(s.Offset), []byte("of another version")); err != nil {
			t.Fatal(err)
		}
	}
	for _, rev := range []uint64{1, l.term.Revision()} {
		if _, err := at(l.open(t), moment{revision: rev}); !errors.Is(err, ErrPast) {
			t.Errorf("revision %d: %v", rev, err)
		}
	}
}

// checkCast writes the log as an asciicast, plays that, and checks that text and size at the end
// equal those of the live terminal. An asciicast loses bytes that are not UTF-8, so styles may
// differ.
func checkCast(t *testing.T, r *Replay, want *emulator.Terminal) {
	t.Helper()
	for _, version := range []int{2, 3} {
		var b bytes.Buffer
		tape := r.Recording()
		tape.head.Title = "title"
		if err := tape.WriteCast(&b, version); err != nil {
			t.Fatal(err)
		}
		tape, err := ReadCast(&b, emulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := tape.Play()
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got.Snapshot(0), want.Snapshot(0); a.Text() != b.Text() || a.Size != b.Size {
			t.Errorf("asciicast v%d ends in %v\n%s\nwant %v\n%s", version, a.Size, a.Text(), b.Size, b.Text())
		}
	}
}

// TestGap checks that a replay is exact again after a gap in the log, where events were lost
// because the disk was full.
func TestGap(t *testing.T) {
	st := &eventlog.MemStore{}
	l := newLive(t, st, emulator.Size{Rows: 5, Cols: 20}, eventlog.Options{Direct: true})
	say := func(text string) {
		l.event(t, recording.Event{Kind: recording.Output, Data: []byte(text)})
		_ = l.w.Flush() // fails while the store is full
	}
	say("before\r\n")
	full := &fullStore{Store: st, full: true}
	l.w, l.st = rewire(t, full), full
	l.at = time.Second
	full.full = false
	say("\x1b[2Jlogged 1\r\n")
	full.full = true
	say("\x1b[3;3Hlost\r\n")
	full.full = false
	l.at += eventlog.RetryDelay
	say("dropped too\r\n") // the retry begins after it
	say("logged 2\r\n")
	r := l.open(t)
	f, err := at(r, moment{at: r.Start().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Terminal.Snapshot(-1), l.term.Snapshot(-1); !reflect.DeepEqual(got, want) {
		t.Errorf("after the gap:\n%s\nwant\n%s", got.Text(), want.Text())
	}
}

// A fullStore accepts no data while it is full.
type fullStore struct {
	eventlog.Store
	full bool
}

// A fullFile is a file of a fullStore.
type fullFile struct {
	eventlog.File
	s *fullStore
}

func (s *fullStore) Create(name string) (eventlog.File, error) {
	f, err := s.Store.Create(name)
	return fullFile{f, s}, err
}

func (f fullFile) Write(p []byte) (int, error) {
	if f.s.full {
		return 0, errors.New("full")
	}
	return f.File.Write(p)
}

// rewire creates a new log in a store that may become full.
func rewire(t *testing.T, s *fullStore) *eventlog.Writer {
	t.Helper()
	s.Store, s.full = &eventlog.MemStore{}, false
	w, err := eventlog.Create(s, eventlog.Start{Time: began, Rows: 5, Cols: 20}, eventlog.Options{Direct: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestParseMoment(t *testing.T) {
	now := began.Add(time.Minute)
	for text, want := range map[string]moment{
		"42": {revision: 42}, "0": {}, "7": {revision: 7}, "-0": {at: now},
		fmt.Sprintf("%d.25", began.Unix()): {at: began.Add(250 * time.Millisecond)},
		"-5":                               {at: now.Add(-5 * time.Second)},
		"+12.5s":                           {at: began.Add(12500 * time.Millisecond)}, "+12.5": {at: began.Add(12500 * time.Millisecond)}, "+0s": {at: began},
		"2026-01-02T03:04:05Z": {at: began}, "2026-01-02T04:04:05.5+01:00": {at: began.Add(500 * time.Millisecond)},
		"m3": {marker: "m3"}, "taken over by Ada": {marker: "taken over by Ada"},
	} {
		got, err := parseMoment(text, began, now)
		if err != nil || got.revision != want.revision || got.marker != want.marker || !got.at.Equal(want.at) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	l := newLive(t, &eventlog.MemStore{}, emulator.Size{Rows: 4, Cols: 20}, eventlog.Options{})
	r := l.open(t)
	for text, want := range map[string]error{
		"": ErrMoment, "1.5": ErrMoment, "NaN": ErrMoment, "1e300": ErrMoment, "+": ErrMoment, "+-5s": ErrMoment, "+x": ErrMoment, "-1m": ErrMoment,
		"+61s": ErrFuture, "2030-01-01T00:00:00Z": ErrFuture, "9999999999": ErrFuture, " m3 ": ErrMarker,
	} {
		if _, err := r.At(text, now); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

func TestReadCastRefuses(t *testing.T) {
	for _, text := range []string{
		"", "x", "{}", "[]", `{"version":1}`, `{"version":4}`, `{"version":3}`, `{"version":2,"width":0,"height":3}`,
		`{"version":3,"term":{"cols":100000,"rows":3}}`, `{"version":2,"width":-5,"height":3}`, strings.Repeat("\x00", 100),
	} {
		if _, err := ReadCast(strings.NewReader(text), emulator.Options{}); !errors.Is(err, ErrCast) {
			t.Errorf("%q: %v, want ErrCast", text, err)
		}
	}
	tape, err := ReadCast(strings.NewReader(`{"version":3,"term":{"cols":9,"rows":2}}`+"\n# a comment\n[0.1,\"o\",\"a\\u00e9\"]\nbad\n[0.1,\"r\",\"0x0\"]\n[0.2,\"o\",\"b\"]"), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	term, err := tape.Play()
	if err != nil || term.Snapshot(0).Text() != "aéb" {
		t.Errorf("%v: %q", err, term.Snapshot(0).Text())
	}
}

// BenchmarkLog measures what logging adds to emulation for the goroutine that reads the child, on
// the same output. As in a session, that goroutine takes the states, and another one compresses and
// writes them.
func BenchmarkLog(b *testing.B) {
	for name, rec := range recordings(b) {
		switch name {
		case "cargo", "git-log", "vim-edit", "htop", "wide-text":
		default:
			continue
		}
		b.Run(name, func(b *testing.B) { benchmarkLog(b, rec) })
	}
}

func benchmarkLog(b *testing.B, rec *recording.Recording) {
	var out []byte
	for _, e := range rec.Events {
		out = append(out, e.Data...)
	}
	size := emulator.Size{Rows: rec.Rows, Cols: rec.Cols}
	term := emulator.New(emulator.Options{Size: size})
	dir := b.TempDir()
	w, err := eventlog.Create(eventlog.DirStore(dir), eventlog.Start{Rows: rec.Rows, Cols: rec.Cols}, eventlog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	const read = 4095 // the size of a read from a PTY
	var logging, emulating time.Duration
	var saving sync.WaitGroup
	defer saving.Wait()
	for b.Loop() {
		start := time.Now()
		for p := out; len(p) > 0; p = p[min(read, len(p)):] {
			w.Append(eventlog.Event{Kind: eventlog.Output, At: logging, Data: p[:min(read, len(p))]})
			if w.Full() {
				if err := w.Flush(); err != nil {
					b.Fatal(err)
				}
			}
			if offset, ok := w.Rotate(logging); ok {
				if err := w.Flush(); err != nil {
					b.Fatal(err)
				}
				parts := savedParts(term)
				saving.Go(func() {
					if err := eventlog.SaveState(eventlog.DirStore(dir), offset, parts); err != nil {
						b.Error(err)
					}
				})
			}
		}
		middle := time.Now()
		for p := out; len(p) > 0; p = p[min(read, len(p)):] {
			_, _ = term.Write(p[:min(read, len(p))])
		}
		logging += middle.Sub(start)
		emulating += time.Since(middle)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(out)))
	b.ReportMetric(100*logging.Seconds()/emulating.Seconds(), "log-%-of-emulation")
	b.ReportMetric(float64(len(out))*float64(b.N)/1e6/emulating.Seconds(), "emulated-MB/s")
	b.ReportMetric(float64(len(out))*float64(b.N)/1e6/logging.Seconds(), "logged-MB/s")
}
