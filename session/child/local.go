package child

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/glasstty/glasstty/session/eventlog"
)

// Options configure a Local. The zero value works.
type Options struct {
	// NewStore makes the store of a new child's log; nil: nothing is logged.
	NewStore func(Spec) (eventlog.Store, error)
	Log      eventlog.Options
	// OpenPTY starts a command on a terminal and returns the master; nil: on a terminal
	// of the system. It is for tests of machines without terminals.
	OpenPTY func(*exec.Cmd, Size) (*os.File, error)
	// Guest says that other code in this process has children too: then the Local does
	// not adopt orphans, and does not find processes that have left their session.
	Guest bool
	// Gauge returns the gauge of a slot; nil: a new one in this process's memory.
	Gauge func(slot int) *Gauge
}

// A Local owns children of this process. On Linux the process adopts orphaned
// descendants, so that it can end daemons that a child leaves behind.
type Local struct {
	opt     Options
	nonce   string       // distinguishes its children from those of another owner
	started atomic.Int64 // counts children
	done    chan struct{}
	loops   sync.WaitGroup
	table   *table
	watch   *watcher
	// groups is FindGrouping, except in tests.
	groups func() Grouping

	mu   sync.Mutex // guards what follows
	pids map[int]bool
}

// NewLocal returns an owner without children. The caller closes it.
func NewLocal(o Options) *Local {
	nonce := make([]byte, 8)
	_, _ = rand.Read(nonce) // never fails, see crypto/rand
	if o.OpenPTY == nil {
		o.OpenPTY = startPTY
	}
	if o.Gauge == nil {
		o.Gauge = func(int) *Gauge { return new(Gauge) }
	}
	l := &Local{
		opt: o, nonce: hex.EncodeToString(nonce), done: make(chan struct{}), table: newTable(processes), pids: map[int]bool{},
		groups: FindGrouping,
	}
	l.watch = newWatcher(l)
	heedSignals()
	if !o.Guest {
		adoptOrphans()
		l.loops.Go(l.reapLoop)
	}
	return l
}

// Start starts a child.
func (l *Local) Start(spec Spec) (Child, error) {
	tag := l.tag(spec.ID)
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.Args, Env: withEntry(spec.Env, tag), Dir: spec.Dir}
	c := &localChild{owner: l, spec: spec, cmd: cmd, tag: tag, calls: newCalls(), state: spec.State}
	if err := c.openLog(); err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		c.closeLog()
		c.discardLog()
		return nil, err
	}
	l.watch.add(c)
	return c, nil
}

// withEntry returns env with a tag in place of those in it.
func withEntry(env []string, entry string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if len(e) <= len(tagName) || e[:len(tagName)+1] != tagName+"=" {
			out = append(out, e)
		}
	}
	return append(out, entry)
}

// note remembers, or forgets, a child that its own goroutine reaps.
func (l *Local) note(pid int, ours bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ours {
		l.pids[pid] = true
	} else {
		delete(l.pids, pid)
	}
}

// knows reports whether pid is a child that its own goroutine reaps.
func (l *Local) knows(pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pids[pid]
}

// Adopter returns the ID of this process, which adopts the orphans of its children, or 0
// for a Guest.
func (l *Local) Adopter() int {
	if l.opt.Guest {
		return 0
	}
	return os.Getpid()
}

// Close ends the daemons whose child is not known. End the children before.
func (l *Local) Close() error {
	left := l.leftGroups()
	var err error
	if !l.opt.Guest {
		err = l.endStrangers(left)
	}
	for _, g := range left {
		g.remove()
	}
	close(l.done)
	l.loops.Wait()
	return err
}
