package session

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/glasstty/glasstty/internal/need"
)

// BenchmarkExchange measures one line typed to sh and its answer, with the child
// in this process and in a keeper:
//
//	go test -run - -bench 'Exchange|TakeOver|Idle' -benchtime 200x ./session
func BenchmarkExchange(b *testing.B) {
	need.Program(b, "sh")
	run := func(b *testing.B, m *Manager) {
		s, err := m.Start(b.Context(), StartOptions{Command: "sh", Args: []string{"-c", "stty -echo; while read x; do echo $x; done"}})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := s.Exchange(b.Context(), Input{Text: "hello", Enter: true}, Wait{Timeout: patience}, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("own", func(b *testing.B) {
		m := NewManager(Options{})
		defer m.Close()
		run(b, m)
	})
	b.Run("keeper", func(b *testing.B) { run(b, newHouse(b).m) })
}

// BenchmarkTakeOver measures how long a server needs to rebuild 100 sessions, or GLASSTTY_TAKEOVER
// sessions, with logs of 10 MB of coloured lines each.
func BenchmarkTakeOver(b *testing.B) {
	need.Program(b, "awk")
	const size = 10 << 20
	n := 100
	if text := os.Getenv("GLASSTTY_TAKEOVER"); text != "" {
		if _, err := fmt.Sscan(text, &n); err != nil {
			b.Fatal(err)
		}
	}
	h := newHouse(b)
	h.m.opt.MaxSessions = n
	script := fmt.Sprintf(`BEGIN { while (n < %d) { s = sprintf("\033[3%%dmline %%d of a log\033[0m %%s", i %% 8, i, "some words to fill it up to about eighty"); print s; n += length(s) + 2; i++ }; print "the end"; fflush(); getline }`, size)
	for range n {
		s, err := h.m.Start(b.Context(), StartOptions{Command: "awk", Args: []string{script}})
		if err != nil {
			b.Fatal(err)
		}
		r, err := s.Exchange(b.Context(), Input{}, Wait{Pattern: literal("the end"), Timeout: MaxTimeout}, nil)
		if err != nil || r.Reason != "matched" {
			b.Fatalf("%+v, %v", r, err)
		}
	}
	for b.Loop() {
		h.leave()
		h.open()
	}
}

// BenchmarkSaveState measures the part of saving the state that is done with the session's lock held,
// for a session with full scrollback.
func BenchmarkSaveState(b *testing.B) {
	need.Program(b, "seq")
	h := newHouse(b)
	s, err := h.m.Start(b.Context(), StartOptions{Command: "seq", Args: []string{"-f", "%.0f is one line of a log with some words to fill it up", "200000"}})
	if err != nil {
		b.Fatal(err)
	}
	<-s.loops.exited
	s.mu.Lock()
	defer s.mu.Unlock()
	for b.Loop() {
		if _, err := s.state.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIdle starts 1,000 idle sessions and measures the memory of each, and the processor time
// per second at rest.
func BenchmarkIdle(b *testing.B) {
	need.Program(b, "cat")
	const n = 1000
	m := NewManager(Options{MaxSessions: n})
	defer m.Close()
	before := heap()
	for range n {
		s, err := m.Start(b.Context(), StartOptions{Command: "cat"})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Exchange(b.Context(), Input{}, Wait{Timeout: patience}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(heap()-before)/n/1024, "kB/session")
	time.Sleep(2 * time.Second) // until the work of the starts is over
	start := cpu(b)
	for b.Loop() {
		time.Sleep(time.Second)
	}
	b.ReportMetric(100*(cpu(b)-start).Seconds()/b.Elapsed().Seconds(), "%cpu")
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapInuse + s.StackInuse)
}

// cpu returns the processor time of this process.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
