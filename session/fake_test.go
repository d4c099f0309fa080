package session

import (
	"context"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A fakeOwner starts fakeChildren, for tests with a fake clock.
type fakeOwner struct {
	mu  sync.Mutex
	all []*fakeChild
}

// Start starts a fakeChild.
func (o *fakeOwner) Start(s child.Spec) (child.Child, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := os.RemoveAll(s.Temp); err != nil { // the fake program writes nothing there
		return nil, err
	}
	c := newFakeChild()
	c.state = s.State
	o.all = append(o.all, c)
	return c, nil
}

// Subreaper returns 0: nobody adopts orphans.
func (*fakeOwner) Subreaper() int { return 0 }

// Close does nothing.
func (o *fakeOwner) Close() error { return nil }

// A fakeChild is a program that prints "ready$ " and reads all its input. It runs until End or
// Close is called.
type fakeChild struct {
	out   chan []byte
	ended chan struct{}
	end   func()

	mu    sync.Mutex // guards what follows
	typed int
	exit  child.Exit
	marks []string
	state []byte
	busy  int // how many more times Ahead reports a read in progress
}

func newFakeChild() *fakeChild {
	c := &fakeChild{out: make(chan []byte, 8), ended: make(chan struct{})}
	c.end = sync.OnceFunc(func() { close(c.ended) })
	c.out <- []byte("ready$ ")
	return c
}

func (c *fakeChild) PID() int                   { return 0 }
func (c *fakeChild) Tag() string                { return "" }
func (c *fakeChild) Terminal() *os.File         { return nil }
func (c *fakeChild) Resize(child.Size) error    { return nil }
func (c *fakeChild) Log() eventlog.Store        { return &eventlog.MemStore{} }
func (c *fakeChild) LogStatus() eventlog.Status { return eventlog.Status{} }
func (c *fakeChild) Close()                     { c.end() }

// Ahead pretends that a read is in progress, as often as reads has set.
func (c *fakeChild) Ahead(int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = max(c.busy-1, -1)
	return c.busy >= 0
}

// reads makes Ahead report n times a read in progress that returns nothing.
func (c *fakeChild) reads(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.busy = n
}

// Read returns the next output.
func (c *fakeChild) Read() (child.Event, error) {
	select {
	case p := <-c.out:
		return child.Event{Kind: child.Output, Data: p}, nil
	case <-c.ended:
		return child.Event{}, io.EOF
	}
}

// Write counts the bytes of the input.
func (c *fakeChild) Write(in child.Input) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.typed += len(in.Data)
	return len(in.Data), nil
}

// Wait waits until the program has ended.
func (c *fakeChild) Wait() child.Exit {
	<-c.ended
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.exit
}

// End ends the program.
func (c *fakeChild) End(_ context.Context, sig syscall.Signal, _ time.Duration) error {
	c.mu.Lock()
	c.exit.Code = 128 + int(sig)
	c.mu.Unlock()
	c.end()
	return nil
}

// Note records markers.
func (c *fakeChild) Note(e eventlog.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Kind == eventlog.Marker {
		c.marks = append(c.marks, string(e.Data))
	}
}

// Keep records the state.
func (c *fakeChild) Keep(state []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// bytes returns how many bytes were typed.
func (c *fakeChild) bytes() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.typed
}

// underFakeClock runs a test of a Manager whose children are fake, under a clock that moves only
// while all goroutines wait.
func underFakeClock(t *testing.T, o Options, test func(t *testing.T, m *Manager, owner *fakeOwner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		owner := &fakeOwner{}
		o.Children = owner
		m := NewManager(o)
		defer m.Close()
		test(t, m, owner)
	})
}

// fakeSession starts a fake program.
func fakeSession(t *testing.T, m *Manager) *Session {
	t.Helper()
	s, err := m.Start(t.Context(), StartOptions{Command: "/bin/sh", Pipe: true})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return s
}
