package main

import (
	"os"
	"testing"
	"time"

	"github.com/creack/pty"
)

func TestTapSeesWritesOnly(t *testing.T) {
	m, s, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer m.Close()
	defer s.Close()
	tap, err := newTap(s.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer tap.close()
	before := time.Now()
	if _, err := m.WriteString("typed\r"); err != nil { // its echo does not count as a write
		t.Fatal(err)
	}
	if w := tap.since(before); len(w) != 0 {
		t.Fatalf("typing was reported as %d writes", len(w))
	}
	if _, err := s.WriteString("answer\r\n"); err != nil {
		t.Fatal(err)
	}
	now := tap.now()
	w := tap.since(before)
	if len(w) == 0 || w[0].Before(before) || w[0].After(now) {
		t.Fatalf("got writes at %v, want one between %v and %v", w, before, now)
	}
	tap.reset()
	if w := tap.since(before); len(w) != 0 {
		t.Errorf("after reset: got %d writes", len(w))
	}
}

func TestParseStat(t *testing.T) {
	p, ok := parseStat("42 (a) b (c) S 7 42 42 34818 42 4194304 1 2")
	if !ok || p.parent != 7 || p.tty != "/dev/pts/2" {
		t.Errorf("got %+v, %v; want parent 7 on /dev/pts/2", p, ok)
	}
	if p, ok := parseStat("1 (init) S 0 1 1 0 -1"); !ok || p.tty != "" {
		t.Errorf("got %+v, %v; want no terminal", p, ok)
	}
	if _, ok := parseStat("garbage"); ok {
		t.Error("parseStat accepted garbage")
	}
	if procs := processes(); procs[os.Getpid()].parent != os.Getppid() {
		t.Errorf("own parent = %d, want %d", procs[os.Getpid()].parent, os.Getppid())
	}
}
