package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A shelf is a Store in memory. It refuses pieces, and keeps some without saying so, as a
// stream does that is full or behind a bad link.
type shelf struct {
	random *rand.Rand
	faulty bool
	pieces map[string]fleet.Piece // by file and offset
	number uint64
	asked  int // calls of Ship
}

// key returns a piece's place.
func key(p fleet.Piece) string { return fmt.Sprint(p.File, " ", p.Offset) }

var errRefused = errors.New("refused")

// Ship implements Store.
func (s *shelf) Ship(_ context.Context, p fleet.Piece, last uint64) (uint64, error) {
	s.asked++
	if has := s.pieces[key(p)].Number; has != last {
		return has, fleet.ErrNumber
	}
	if s.faulty && s.random.IntN(3) == 0 {
		return last, errRefused
	}
	s.number++
	p.Number, p.Data = s.number, bytes.Clone(p.Data)
	s.pieces[key(p)] = p
	if s.faulty && s.random.IntN(3) == 0 {
		return last, errRefused // the answer is lost
	}
	return p.Number, nil
}

// Shipped implements Store.
func (s *shelf) Shipped() (map[string]map[string]int64, error) {
	out := map[string]map[string]int64{}
	for p := range maps.Values(s.pieces) {
		if out[p.Name] == nil {
			out[p.Name] = map[string]int64{}
		}
		out[p.Name][p.File] = max(out[p.Name][p.File], p.Offset)
	}
	return out, nil
}

func (s *shelf) Unship(string) error   { clear(s.pieces); return nil }
func (s *shelf) OpenRecordings() error { return nil }
func (s *shelf) MaxPiece() int         { return fullPiece + fullPiece/2 }
func (s *shelf) copied() (c Copy)      { s.each(func(p fleet.Piece) { _ = c.Add(p) }); return c }
func (s *shelf) each(f func(fleet.Piece)) {
	for _, p := range slices.SortedFunc(maps.Values(s.pieces), func(a, b fleet.Piece) int { return int(a.Number) - int(b.Number) }) {
		f(p)
	}
}

// aLog is a log that grows.
type aLog struct {
	t      *testing.T
	dir    eventlog.DirStore
	w      *eventlog.Writer
	random *rand.Rand
	at     time.Duration
}

// newLog begins a log.
func newLog(t *testing.T, random *rand.Rand, o eventlog.Options) *aLog {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "s1")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	o.Direct = true
	l := &aLog{t: t, dir: eventlog.DirStore(dir), random: random}
	var err error
	if l.w, err = eventlog.Create(l.dir, eventlog.Start{Session: "s1", Command: "bash", Time: time.UnixMicro(1e15), Rows: 24, Cols: 80}, o); err != nil {
		t.Fatal(err)
	}
	return l
}

// grow adds output of about n bytes, and now and then another size of the terminal.
func (l *aLog) grow(n int) {
	l.t.Helper()
	for n > 0 {
		text := []byte(strings.Repeat(string(rune('a'+l.random.IntN(26))), 1+l.random.IntN(4000)) + "\xff\r\n")
		n -= len(text)
		l.at += time.Duration(l.random.IntN(1e9))
		l.w.Append(eventlog.Event{Kind: eventlog.Output, At: l.at, Data: text})
		if l.random.IntN(20) == 0 {
			l.w.Append(eventlog.Event{Kind: eventlog.Resize, At: l.at, Rows: 10 + l.random.IntN(20), Cols: 80})
		}
		if offset, ok := l.w.Turn(eventlog.Turn{At: l.at, Rows: 24, Cols: 80}); ok && l.random.IntN(2) == 0 {
			if err := errors.Join(l.w.Flush(), eventlog.SaveState(l.dir, offset, bytes.Repeat(text, 1+l.random.IntN(50)))); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	if err := l.w.Flush(); err != nil {
		l.t.Fatal(err)
	}
}

// files returns the bytes of all segments and states of a log.
func files(t *testing.T, dir eventlog.DirStore) map[string]string {
	t.Helper()
	names, err := dir.Names()
	out := map[string]string{}
	for _, name := range names {
		data, rerr := os.ReadFile(filepath.Join(string(dir), name))
		if err = errors.Join(err, rerr); name != eventlog.MetaName {
			out[name] = string(data)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// follow returns a follower of a log, as a server has it that has just begun.
func follow(l *aLog, s *shelf) *follower {
	sh := &Shipper{store: s, log: slog.New(slog.DiscardHandler), slots: make(chan struct{}, 1)}
	return &follower{sh: sh, store: l.dir, segment: -1, states: map[int64]bool{}}
}

// written returns the log that a Copy makes.
func written(t *testing.T, c Copy) (eventlog.DirStore, string) {
	t.Helper()
	dir := eventlog.DirStore(t.TempDir())
	if err := c.Write(dir, eventlog.Meta{Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, c.gaps(log)
}

// TestExactlyOnce ships a log that grows to a Store that refuses pieces and loses answers,
// from servers that end at any time. The copy is the log, byte for byte.
func TestExactlyOnce(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := &shelf{random: random, faulty: true, pieces: map[string]fleet.Piece{}}
		l := newLog(t, random, eventlog.Options{SegmentBytes: 300 << 10, MaxBytes: 1 << 30})
		f := follow(l, s)
		for range 40 {
			l.grow(random.IntN(30 << 10))
			if random.IntN(8) == 0 {
				l.grow(random.IntN(400 << 10))
			}
			if random.IntN(6) == 0 {
				f = follow(l, s)
			}
			if err := f.pass(t.Context()); err != nil && !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
		}
		end := l.at
		if err := errors.Join(l.w.Close(), eventlog.SaveMeta(l.dir, eventlog.Meta{Session: "s1", Status: "exited", EndedAt: new(time.UnixMicro(1e15).Add(end))})); err != nil {
			t.Fatal(err)
		}
		s.faulty = false
		if err := f.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, gaps := written(t, s.copied())
		want, have := files(t, l.dir), files(t, got)
		for name, data := range want {
			if have[name] != data {
				t.Fatalf("seed %d: %s has %d bytes in the copy, and %d in the log", seed, name, len(have[name]), len(data))
			}
		}
		if gaps != "" || len(have) != len(want) {
			t.Errorf("seed %d: gaps %q, %d files, want %d", seed, gaps, len(have), len(want))
		}
		number := s.number
		if err := follow(l, s).pass(t.Context()); err != nil || s.number != number {
			t.Errorf("seed %d: of a log that has ended and is there %d pieces are shipped again, %v", seed, s.number-number, err)
		}
	}
}

// TestOneCallEach ships each piece with one call, and the metadata once behind what is new.
func TestOneCallEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
	l := newLog(t, random, eventlog.Options{SegmentBytes: 1 << 20, MaxBytes: 1 << 30})
	if err := eventlog.SaveMeta(l.dir, eventlog.Meta{Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	f := follow(l, s)
	for i, want := range []int{3, 2, 2, 0} { // the first pass has the metadata before the log too
		if want > 0 {
			l.grow(100)
		}
		s.asked = 0
		if err := f.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if last := slices.MaxFunc(slices.Collect(maps.Values(s.pieces)), func(a, b fleet.Piece) int { return int(a.Number) - int(b.Number) }); s.asked != want || last.File != metaFile {
			t.Errorf("pass %d calls %d times, want %d; the last piece is %s", i, s.asked, want, last.File)
		}
	}
}

// TestGaps has pieces go missing. What is left are events of the log at the times and log
// offsets that they had, and the gaps are as large as what is missing.
func TestGaps(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
		l := newLog(t, random, eventlog.Options{SegmentBytes: 300 << 10, MaxBytes: 1 << 30})
		f := follow(l, s)
		for range 10 {
			l.grow(100 << 10)
			if err := f.pass(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		type place struct {
			offset int64
			at     time.Duration
			data   string
		}
		events := func(dir eventlog.DirStore) map[int64]place {
			log, err := eventlog.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			out := map[int64]place{}
			for i := range log.Segments {
				for e, err := range log.Segment(i) {
					if err != nil {
						t.Fatal(err)
					}
					out[e.Next] = place{e.Offset, e.At, string(e.Data)}
				}
			}
			return out
		}
		for k := range s.pieces {
			if random.IntN(4) == 0 {
				delete(s.pieces, k)
			}
		}
		if len(s.pieces) == 0 {
			continue
		}
		got, gaps := written(t, s.copied())
		all, have := events(l.dir), events(got)
		for next, e := range have {
			w := all[next]
			// The exact bytes of the first event behind a gap may stand in the gap.
			if w.data != e.data && w.offset == e.offset || (w.at-e.at).Abs() > time.Microsecond {
				t.Fatalf("seed %d: before %d there is %.20q at %v, want %.20q at %v", seed, next, e.data, e.at, w.data, w.at)
			}
		}
		last := slices.Max(slices.Collect(maps.Keys(have)))
		inside := 0 // of the copy's ends
		for next := range all {
			if next <= last {
				inside++
			}
		}
		if inside > len(have) != strings.Contains(gaps, "missing") {
			t.Errorf("seed %d: %d of %d events are there, and the gaps are %q", seed, len(have), inside, gaps)
		}
	}
}
