package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A smallStore is a MemStore on a disk with room for that many bytes.
type smallStore struct {
	MemStore
	room int
}

var errFull = errors.New("no space left on device")

// A smallFile is a file of a smallStore.
type smallFile struct {
	File
	s *smallStore
}

func (s *smallStore) Create(name string) (File, error) {
	f, err := s.MemStore.Create(name)
	return smallFile{f, s}, err
}

func (f smallFile) Write(p []byte) (int, error) {
	n := min(len(p), f.s.room)
	f.s.room -= n
	if _, err := f.File.Write(p[:n]); err != nil || n == len(p) {
		return n, err
	}
	return n, errFull
}

// TestFullDisk checks a disk that is full after different numbers of bytes: events that were
// written whole stay readable, the loss is reported, and the log goes on when there is room.
func TestFullDisk(t *testing.T) {
	for room := 0; room < 700; room += 3 {
		st := &smallStore{room: room}
		w, err := Create(st, start(), Options{Direct: true})
		if (err != nil) != (w.Status().Error != "") {
			t.Fatalf("room %d: Create: %v, status %v", room, err, w.Status().Error)
		}
		at := time.Duration(0)
		written := 0
		for i := range 10 {
			at += time.Second
			w.Append(Event{Kind: Output, At: at, Data: fmt.Appendf(nil, "line %d \xe6\n", i)})
			if w.Flush() == nil {
				written = i + 1
			}
		}
		s := w.Status()
		if written == 10 {
			if s.Error != "" || room < 300 {
				t.Fatalf("room %d: all was written, %+v", room, s)
			}
			continue
		}
		if !errors.Is(w.err, errFull) || s.Error != w.err.Error() || w.lost == 0 || s.Since > time.Duration(written+1)*time.Second {
			t.Fatalf("room %d: after %d events %+v", room, written, s)
		}
		if _, ok := w.Rotate(s.Since); ok {
			t.Fatalf("room %d: tried again too early", room)
		}
		// At first there is still no room, then there is.
		if _, ok := w.Rotate(at + RetryDelay); !ok {
			t.Fatalf("room %d: tried again too late", room)
		}
		if w.Flush() == nil || w.Status().Since != s.Since {
			t.Fatalf("room %d: without room: %+v", room, w.Status())
		}
		w.Append(Event{Kind: Output, At: at + RetryDelay, Data: []byte("lost")})
		st.room = 1 << 20
		w.Rotate(at + 2*RetryDelay)
		w.Append(Event{Kind: Output, At: at + 2*RetryDelay, Data: []byte("after")})
		if err := w.Flush(); err != nil || w.Status().Error != "" {
			t.Fatalf("room %d: with room: %v, %+v", room, err, w.Status())
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		got := events(t, st)
		for i, e := range got[:len(got)-1] {
			if string(e.Data) != fmt.Sprintf("line %d \xe6\n", i) {
				t.Fatalf("room %d: event %d is %q", room, i, e.Data)
			}
		}
		if n := len(got) - 1; n < written || string(got[n].Data) != "after" || got[n].At != at+2*RetryDelay || got[n].Next != w.End() {
			t.Fatalf("room %d: %d of %d events before, then %+v", room, n, written, got[n])
		}
		l, err := Open(st)
		if last := l.Segments[len(l.Segments)-1]; err != nil || last.Lost == 0 {
			t.Fatalf("room %d: %+v, %v", room, last, err)
		}
	}
}

// A stuckStore blocks every write until it gets a value from stuck.
type stuckStore struct {
	MemStore
	stuck chan struct{}
}

// A stuckFile is a file of a stuckStore.
type stuckFile struct {
	File
	s *stuckStore
}

func (s *stuckStore) Create(name string) (File, error) {
	f, err := s.MemStore.Create(name)
	return stuckFile{f, s}, err
}

func (f stuckFile) Write(p []byte) (int, error) {
	<-f.s.stuck
	return f.File.Write(p)
}

// TestStuckDisk checks that appending to a disk that does not answer blocks nobody, and that the
// backlog is bounded.
func TestStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &stuckStore{stuck: make(chan struct{}, 1)}
		st.stuck <- struct{}{}
		w, err := Create(st, start(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Append(Event{Kind: Output, Data: []byte("first")})
		time.Sleep(2 * flushDelay) // the timer's Flush hangs
		block := bytes.Repeat([]byte{'x'}, 32<<10)
		for i := range 3 * maxBacklog / len(block) {
			w.Append(Event{Kind: Output, At: time.Duration(i) * time.Millisecond, Data: block})
			if w.backlog > maxBacklog+2*len(block) {
				t.Fatalf("the backlog has %d bytes", w.backlog)
			}
		}
		s := w.Status()
		if !errors.Is(w.err, errBacklog) || s.Error != w.err.Error() || w.lost < 2*maxBacklog {
			t.Fatalf("%+v", s)
		}
		close(st.stuck)
		synctest.Wait()
		w.Rotate(time.Hour)
		w.Append(Event{Kind: Output, At: time.Hour, Data: []byte("last")})
		if err := w.Close(); err != nil || w.Status().Error != "" {
			t.Fatalf("%v, %+v", err, w.Status())
		}
		if got := string(outputOf(events(t, st))); got != "firstlast" {
			t.Errorf("%.100q", got)
		}
	})
}

// TestTimerFlushes checks that a timer flushes events that nobody else flushes.
func TestTimerFlushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &MemStore{}
		w, err := Create(st, start(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			w.Append(Event{Kind: Output, Data: []byte{'a' + byte(i)}})
			if got := outputOf(events(t, st)); len(got) != i {
				t.Errorf("at once: %q", got)
			}
			time.Sleep(flushDelay)
			synctest.Wait()
			if got := outputOf(events(t, st)); len(got) != i+1 {
				t.Errorf("later: %q", got)
			}
		}
		w.Append(Event{Kind: Output, Data: []byte("d")})
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Append(Event{Kind: Output, Data: []byte("too late")})
		if got := outputOf(events(t, st)); string(got) != "abcd" {
			t.Errorf("closed: %q", got)
		}
	})
}

// TestJumpingTimes checks that times in the log never go back, even if the times of events do.
func TestJumpingTimes(t *testing.T) {
	st := &MemStore{}
	w := create(t, st, Options{})
	for _, s := range []int{5, 3, -7, 6} {
		w.Append(Event{Kind: Marker, At: time.Duration(s) * time.Second})
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, e := range events(t, st) {
		at = append(at, e.At.String())
	}
	if got := strings.Join(at, " "); got != "5s 5s 5s 6s" {
		t.Errorf("times %s", got)
	}
}

// TestDamage checks that lines that are not events, which a disk may leave, are skipped, and that
// an unknown format and an empty store are errors.
func TestDamage(t *testing.T) {
	st := &MemStore{}
	w := create(t, st, Options{})
	for i := range 4 {
		w.Append(Event{Kind: Output, At: time.Duration(i) * time.Second, Data: []byte{'a' + byte(i), 0xff}})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw(t, st, SegmentName(0))), "\n")
	for _, bad := range []string{
		"\x00\x00\x00\n", "[]\n", "[1]\n", "{}\n", "\n", `[1,"b","x y"]` + "\n", `[1,"b","99999 "]` + "\n", `[-1,"o","x"]` + "\n",
		`[1e300,"o","x"]` + "\n", `[1,"r","x"]` + "\n", `[1,"x",""]` + "\n", `[1,"o","\ud800` + "\n", `[1,"o",5]` + "\n", `[1,"z","new"]` + "\n",
	} {
		for at := 1; at < len(lines); at++ {
			damaged := &MemStore{}
			if err := damaged.Put(SegmentName(0), []byte(strings.Join(lines[:at], "")+bad+strings.Join(lines[at:], ""))); err != nil {
				t.Fatal(err)
			}
			if n := len(events(t, damaged)); n < 3 || n > 4 {
				t.Errorf("%q before line %d: %d events", bad, at, n)
			}
		}
	}
	newer := &MemStore{}
	head := strings.Replace(lines[0], `"format":1`, `"format":2`, 1)
	if err := newer.Put(SegmentName(0), []byte(head)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(newer); !errors.Is(err, ErrVersion) {
		t.Errorf("a newer format: %v", err)
	}
	if _, err := Open(&MemStore{}); !errors.Is(err, ErrNoLog) {
		t.Errorf("nothing: %v", err)
	}
}

// TestLongLine checks that an event longer than any buffer can be read, and that a file without
// line ends does not disturb reading.
func TestLongLine(t *testing.T) {
	st := &MemStore{}
	w := create(t, st, Options{})
	long := strings.Repeat("\x1b日", 1<<20)
	w.Append(Event{Kind: Note, Name: "big", Data: []byte(long)})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	w.Append(Event{Kind: Output, Data: []byte("x")})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got := events(t, st); len(got) != 2 || string(got[0].Data) != long || got[0].Name != "big" {
		t.Errorf("%d events", len(got))
	}
	f, err := st.Create(SegmentName(1 << 40))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, zeros{}, maxLine+readSize); err != nil {
		t.Fatal(err)
	}
	if got := events(t, st); len(got) != 2 {
		t.Errorf("%d events", len(got))
	}
}

// zeros is an endless file of zeros.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// BenchmarkAppend measures appending output in pieces as large as those of a PTY.
func BenchmarkAppend(b *testing.B) {
	for name, text := range map[string]string{
		"text": "ordinary text that a program prints, one line after another\r\n",
		"log":  "\x1b[32m12:00:01\x1b[m INFO  \x1b[1mserver\x1b[m request took 12 ms\r\n",
		"cjk":  "日本語の出力と混ざった text です。\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			chunk := []byte(strings.Repeat(text, 4096/len(text)+1))[:4095]
			w, err := Create(DirStore(b.TempDir()), start(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				w.Append(Event{Kind: Output, Data: chunk})
				if w.Full() {
					if err := w.Flush(); err != nil {
						b.Fatal(err)
					}
				}
				w.Rotate(0)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
