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
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/internal/fleet"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A shelf is a Store in memory. If it is faulty, it refuses some pieces and keeps others without
// saying so, like a stream that is full or behind a bad link.
type shelf struct {
	random *rand.Rand
	faulty bool
	pieces map[string]fleet.Piece // by file and offset
	number uint64
	asked  int // calls of Ship
}

// key returns the key of a piece in shelf.pieces.
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

// Has implements Store.
func (s *shelf) Has(p fleet.Piece) (bool, error) { return s.pieces[key(p)].Number > 0, nil }

func (s *shelf) DeletePiece(p fleet.Piece) error { delete(s.pieces, key(p)); return nil }
func (s *shelf) MaxPiece() int                   { return fullPiece + fullPiece/2 }
func (s *shelf) copied() (c Copy)                { s.each(func(p fleet.Piece) { _ = c.Add(p) }); return c }
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

// newLog creates a log.
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

// grow appends about n bytes of output and, now and then, a resize of the terminal.
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
		if offset, ok := l.w.Rotate(l.at); ok && l.random.IntN(2) == 0 {
			if err := errors.Join(l.w.Flush(), eventlog.SaveState(l.dir, offset, [][]byte{bytes.Repeat(text, 1+l.random.IntN(50))})); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	if err := l.w.Flush(); err != nil {
		l.t.Fatal(err)
	}
}

// files returns the contents of all segments and states of a log.
func files(t *testing.T, dir eventlog.DirStore) map[string]string {
	t.Helper()
	names, err := dir.Names()
	out := map[string]string{}
	for _, name := range names {
		data, rerr := os.ReadFile(filepath.Join(string(dir), name))
		if err = errors.Join(err, rerr); name != eventlog.MetaName && name != manifestName {
			out[name] = string(data)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// follow returns a new follower of a log, like that of a server that has just started.
func follow(l *aLog, s *shelf) *follower {
	sh := &Shipper{store: s, log: slog.New(slog.DiscardHandler), slots: make(chan struct{}, 1)}
	return &follower{sh: sh, store: l.dir, segment: -1, states: map[int64]bool{}}
}

// written writes a Copy as a log, and returns the log and its gaps.
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

// TestExactlyOnce checks that the copy of a growing log equals the log byte for byte, although the
// Store refuses pieces and loses answers and servers end at any time.
func TestExactlyOnce(t *testing.T) {
	t.Parallel()
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
			if err := f.shipNew(t.Context()); err != nil && !errors.Is(err, errRefused) {
				t.Fatal(err)
			}
		}
		end := l.at
		if err := errors.Join(l.w.Close(), eventlog.SaveMeta(l.dir, eventlog.Meta{Session: "s1", Status: "exited", EndedAt: new(time.UnixMicro(1e15).Add(end))})); err != nil {
			t.Fatal(err)
		}
		s.faulty = false
		if err := f.shipNew(t.Context()); err != nil {
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
		if err := follow(l, s).shipNew(t.Context()); err != nil || s.number != number {
			t.Errorf("seed %d: %d pieces of a log that has ended and is complete are shipped again, %v", seed, s.number-number, err)
		}
	}
}

// pruned is a Store whose log loses segments while the pieces of another segment are shipped.
type pruned struct {
	*shelf
	prune func()
}

// Ship implements Store.
func (p pruned) Ship(ctx context.Context, piece fleet.Piece, last uint64) (uint64, error) {
	p.prune()
	return p.shelf.Ship(ctx, piece, last)
}

// TestPruned checks segments that are removed from a log before they were looked at, or after they
// were listed. The server's log reports each gap once, and no gap where nothing is missing.
func TestPruned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, during []int // the segments to remove before a pass, and while it ships
		gaps           int
	}{
		"none":                          {},
		"the one that is shipped":       {before: []int{0}, gaps: 1},
		"those after it":                {before: []int{0, 1, 2}, gaps: 1},
		"one that was listed":           {during: []int{1}, gaps: 1},
		"one that was, and one further": {during: []int{1, 3}, gaps: 2},
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 4))
			s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
			l := newLog(t, random, eventlog.Options{SegmentBytes: 100 << 10, MaxBytes: 1 << 30})
			f := follow(l, s)
			var said bytes.Buffer
			f.sh.log = slog.New(slog.NewTextHandler(&said, nil))
			l.grow(10 << 10)
			if err := f.shipNew(t.Context()); err != nil {
				t.Fatal(err)
			}
			l.grow(500 << 10)
			all, _, err := eventlog.Offsets(l.dir)
			if err != nil || len(all) < 5 {
				t.Fatal(all, err)
			}
			remove := func(which []int) {
				for _, i := range which {
					if err := os.Remove(filepath.Join(string(l.dir), eventlog.SegmentName(all[i]))); err != nil {
						t.Fatal(err)
					}
				}
			}
			remove(tt.before)
			left := tt.during
			f.sh.store = pruned{s, func() { remove(left); left = nil }}
			for range 2 {
				if err := f.shipNew(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if n := strings.Count(said.String(), "a recording has a gap"); n != tt.gaps {
				t.Errorf("the log reports %d gaps, want %d:\n%s", n, tt.gaps, said.String())
			}
			if _, gaps := written(t, s.copied()); strings.Contains(gaps, "in the middle") != (tt.gaps > 0) {
				t.Errorf("the copy's gaps are %q", gaps)
			}
		})
	}
}

// TestOneCallEach checks that each piece is shipped with one call, and the metadata once after the
// new pieces.
func TestOneCallEach(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 3))
	s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
	l := newLog(t, random, eventlog.Options{SegmentBytes: 1 << 20, MaxBytes: 1 << 30})
	if err := eventlog.SaveMeta(l.dir, eventlog.Meta{Session: "s1"}); err != nil {
		t.Fatal(err)
	}
	f := follow(l, s)
	for i, want := range []int{3, 2, 2, 0} { // the first pass also ships the metadata before the log
		if want > 0 {
			l.grow(100)
		}
		s.asked = 0
		if err := f.shipNew(t.Context()); err != nil {
			t.Fatal(err)
		}
		if last := slices.MaxFunc(slices.Collect(maps.Values(s.pieces)), func(a, b fleet.Piece) int { return int(a.Number) - int(b.Number) }); s.asked != want || last.File != metaFile {
			t.Errorf("pass %d makes %d calls, want %d; the last piece is %s", i, s.asked, want, last.File)
		}
	}
}

// TestGaps checks a copy that lacks pieces. The events that are left keep their times and log
// offsets, so that the gaps are as large as what is missing.
func TestGaps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
		l := newLog(t, random, eventlog.Options{SegmentBytes: 300 << 10, MaxBytes: 1 << 30})
		f := follow(l, s)
		for range 10 {
			l.grow(100 << 10)
			if err := f.shipNew(t.Context()); err != nil {
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
			// The exact bytes of the first event after a gap may be lost in the gap.
			if w.data != e.data && w.offset == e.offset || (w.at-e.at).Abs() > time.Microsecond {
				t.Fatalf("seed %d: before %d there is %.20q at %v, want %.20q at %v", seed, next, e.data, e.at, w.data, w.at)
			}
		}
		last := slices.Max(slices.Collect(maps.Keys(have)))
		inside := 0 // events of the log that end where the copy ends, or before
		for next := range all {
			if next <= last {
				inside++
			}
		}
		if inside > len(have) != strings.Contains(gaps, "missing") {
			t.Errorf("seed %d: the copy has %d of %d events, and the gaps are %q", seed, len(have), inside, gaps)
		}
	}
}

// picky is a Store that refuses the recordings of one session.
type picky struct {
	*shelf
	refuses       string
	refused, kept chan struct{} // each receives a value for a piece if it has room
}

// Ship implements Store.
func (p picky) Ship(ctx context.Context, piece fleet.Piece, last uint64) (uint64, error) {
	told := p.kept
	defer func() {
		select {
		case told <- struct{}{}:
		default:
		}
	}()
	if strings.HasPrefix(piece.Name, p.refuses) {
		told = p.refused
		return last, errRefused
	}
	return p.shelf.Ship(ctx, piece, last)
}

// TestOneOutage checks that if the pieces of one log are refused and those of another are kept, the
// server's log says once that something is not shipped, and does not say that it is shipped again.
func TestOneOutage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 5))
	bad, good := newLog(t, random, eventlog.Options{}), newLog(t, random, eventlog.Options{})
	renamed := eventlog.DirStore(filepath.Join(filepath.Dir(string(good.dir)), "good"))
	if err := os.Rename(string(good.dir), string(renamed)); err != nil {
		t.Fatal(err)
	}
	s := picky{&shelf{random: random, pieces: map[string]fleet.Piece{}}, "s1-", make(chan struct{}, 1), make(chan struct{}, 1)}
	var said bytes.Buffer
	sh := NewShipper(s, filepath.Join(t.TempDir(), "none"), slog.New(slog.NewTextHandler(&said, nil)))
	changed := func(ctx context.Context, _ uint64) (uint64, error) { <-ctx.Done(); return 0, ctx.Err() }
	sh.Follow(string(bad.dir), changed)
	<-s.refused
	sh.Follow(string(renamed), changed)
	<-s.kept
	sh.Close()
	if n := strings.Count(said.String(), "are not shipped"); n != 1 || strings.Contains(said.String(), "again") {
		t.Errorf("the log is\n%s", said.String())
	}
}

// lame is a Store that cannot delete a piece at first.
type lame struct {
	*shelf
	failed bool
}

func (l *lame) DeletePiece(p fleet.Piece) error {
	if !l.failed {
		l.failed = true
		return errors.New("no connection")
	}
	return l.shelf.DeletePiece(p)
}

// TestDeletionOutage checks that the server's log says once that a recording could not be deleted,
// and once that it was deleted later.
func TestDeletionOutage(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "s1-1"), []byte("meta 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		sh := NewShipper(&lame{shelf: &shelf{}}, dir, slog.New(slog.NewTextHandler(&said, nil)))
		time.Sleep(2 * retryAfter)
		sh.Close()
		for _, text := range []string{"are not shipped", "are shipped again"} {
			if strings.Count(said.String(), text) != 1 {
				t.Errorf("want %q once in the log\n%s", text, said.String())
			}
		}
	})
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("manifests that are left: %v, %v", left, err)
	}
}

// hasty is a Reader of one recording whose last piece comes from a clock that is an hour ahead.
type hasty struct{}

func (hasty) Recordings(string, string) ([]fleet.Recording, error) {
	return []fleet.Recording{{Node: "node", Name: "s1-1"}}, nil
}

func (hasty) Last(r fleet.Recording, file string) (fleet.Piece, error) {
	return fleet.Piece{Recording: r, File: file, Data: []byte("{}"), At: time.Now().Add(time.Hour)}, nil
}

func (hasty) ReadRecording(context.Context, fleet.Recording, func(fleet.Piece) error) error {
	return nil
}

// TestClocksDiffer checks that a recording whose end is in the future is listed as ending now.
func TestClocksDiffer(t *testing.T) {
	all, _, err := List(hasty{}, "*", 10, All)
	if err != nil || len(all) != 1 || all[0].Until.After(time.Now()) {
		t.Errorf("the recordings are %+v, %v", all, err)
	}
}

// TestStoreLost checks that the next server ships everything again after the Store has lost it, and
// that deleting the log deletes every piece.
func TestStoreLost(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 6))
	s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
	l := newLog(t, random, eventlog.Options{SegmentBytes: 100 << 10, MaxBytes: 1 << 30})
	l.grow(300 << 10)
	for range 2 {
		clear(s.pieces)
		if err := follow(l, s).shipNew(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, gaps := written(t, s.copied())
		if want, have := files(t, l.dir), files(t, got); gaps != "" || !maps.Equal(have, want) {
			t.Errorf("the copy has %d of %d files, and the gaps %q", len(have), len(want), gaps)
		}
	}
	sh := NewShipper(s, filepath.Join(t.TempDir(), "unshipped"), slog.New(slog.DiscardHandler))
	sh.Follow(string(l.dir), func(ctx context.Context, _ uint64) (uint64, error) { <-ctx.Done(); return 0, ctx.Err() })
	if err := sh.Forget(string(l.dir), true); err != nil {
		t.Fatal(err)
	}
	sh.work.Wait()
	if len(s.pieces) > 0 {
		t.Errorf("%d pieces are left", len(s.pieces))
	}
}

// busy is a Reader of many recordings of one node.
type busy struct{ hasty }

func (busy) Recordings(string, string) (all []fleet.Recording, err error) {
	for i := range 300 {
		all = append(all, fleet.Recording{Node: "node", Name: fmt.Sprintf("s%d-%d", i/2, i)})
	}
	return all, nil
}

func (busy) Last(r fleet.Recording, file string) (fleet.Piece, error) {
	return fleet.Piece{Recording: r, File: file, Data: fmt.Appendf(nil, `{"name":"of-%s"}`, r.Name)}, nil
}

// TestFind checks that Find finds the oldest of many recordings by its session's ID and name, and
// that List says how many recordings it leaves out.
func TestFind(t *testing.T) {
	if all, more, err := List(busy{}, "node", 200, All); len(all) != 200 || more != 100 || err != nil {
		t.Errorf("%d recordings and %d more, %v", len(all), more, err)
	}
	for ref, want := range map[string]string{"s0": "s0-1", "s0b": "s0-0", "of-s0-0": "s0-0", "s149": "s149-299"} {
		if k, err := Find(busy{}, "node", ref); k.Name != want || err != nil {
			t.Errorf("%s is %s, %v; want %s", ref, k.Name, err, want)
		}
	}
	if _, err := Find(busy{}, "node", "s150"); !errors.Is(err, eventlog.ErrNoLog) {
		t.Errorf("unknown session: error %v, want ErrNoLog", err)
	}
}

// TestLongCopy checks the copy of a recording that is larger than a Copy may be: the newest
// segments are there, and the copy says how much of the beginning is missing.
func TestLongCopy(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 7))
	s := &shelf{random: random, pieces: map[string]fleet.Piece{}}
	l := newLog(t, random, eventlog.Options{SegmentBytes: 100 << 10, MaxBytes: 1 << 30})
	l.grow(600 << 10)
	if err := follow(l, s).shipNew(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := Copy{limit: 300 << 10}
	s.each(func(p fleet.Piece) {
		if err := c.Add(p); err != nil {
			t.Fatal(err)
		}
	})
	got, gaps := written(t, c)
	want, have := files(t, l.dir), files(t, got)
	for name, data := range have {
		if want[name] != data {
			t.Errorf("%s has %d bytes in the copy, and %d in the log", name, len(data), len(want[name]))
		}
	}
	all, _, err := eventlog.Offsets(l.dir)
	if err != nil || have[eventlog.SegmentName(all[len(all)-1])] == "" || !strings.HasPrefix(gaps, "its first ") {
		t.Errorf("of the segments at %v the copy has %d files; the gaps are %q, %v", all, len(have), gaps, err)
	}
}
