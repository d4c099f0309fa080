package child

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/glasstty/glasstty/internal/environ"
	"github.com/glasstty/glasstty/session/eventlog"
)

// Options configure a Local. The zero value works.
type Options struct {
	// NewStore makes the store of a new child's log. If it is nil, logs are kept in memory.
	NewStore func(Spec) (eventlog.Store, error)
	Log      eventlog.Options
	// OpenPTY starts a command on a terminal and returns the master. If it is nil, the
	// system's terminals are used. It is for tests of machines without terminals.
	OpenPTY func(*exec.Cmd, Size) (*os.File, error)
	// Guest reports that other code in this process has children too: then the Local does
	// not adopt orphans, and does not find processes that have left their session.
	Guest bool
	// Gauge returns the gauge of a slot. If it is nil, each child gets a gauge in this
	// process's memory.
	Gauge func(slot int) *Gauge
}

// A Local owns children of this process. On Linux the process adopts orphaned
// descendants, so that it can end daemons that a child leaves behind.
type Local struct {
	opt     Options
	nonce   string       // distinguishes its children from those of another owner, see enroll
	started atomic.Int64 // counts children
	done    chan struct{}
	loops   sync.WaitGroup
	table   *table
	watch   *watcher
	// groups is FindGrouping, except in tests.
	groups func() Grouping
	pids   sync.Map // the children that their own goroutines reap
}

// NewLocal returns an owner without children. The caller closes it.
func NewLocal(o Options) *Local {
	if o.NewStore == nil {
		o.NewStore = func(Spec) (eventlog.Store, error) { return &eventlog.MemStore{}, nil }
	}
	if o.OpenPTY == nil {
		o.OpenPTY = startPTY
	}
	if o.Gauge == nil {
		o.Gauge = func(int) *Gauge { return new(Gauge) }
	}
	l := &Local{opt: o, done: make(chan struct{}), table: newTable(processes), groups: FindGrouping}
	l.watch = newWatcher(l)
	l.enroll()
	catchIgnoredSignals()
	if !o.Guest {
		adoptOrphans()
		l.loops.Go(l.reapLoop)
	}
	return l
}

// owners are the Locals of this process that are not closed, by their part of their
// children's marks. Marks belong to the process, so there is one list.
var owners sync.Map

// enroll gives l a nonce, and with it marks, that no other owner in this process has. Marks
// have only 16 bits of a nonce: one in 65,536 pairs of random nonces has the same, and each
// owner would end the other's children as its own.
func (l *Local) enroll() {
	nonce := make([]byte, 8)
	for taken := true; taken; {
		_, _ = rand.Read(nonce) // never fails, see crypto/rand
		l.nonce = hex.EncodeToString(nonce)
		_, taken = owners.LoadOrStore(l.mark(), l)
	}
}

// mark returns the part of the children's marks that identifies l.
func (l *Local) mark() mark { return ownerMark(l.nonce, os.Getpid()) }

// Start starts a child.
func (l *Local) Start(spec Spec) (Child, error) {
	tag := l.tag(spec.ID)
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.Args, Env: environ.With(spec.Env, tagName, strings.TrimPrefix(tag, tagName+"=")), Dir: spec.Dir}
	c := &localChild{owner: l, spec: spec, cmd: cmd, tag: tag, calls: newCalls()}
	if err := c.openLog(); err != nil {
		return nil, err
	}
	if err := c.start(); err != nil {
		c.log.discard()
		return nil, err
	}
	l.watch.add(c)
	return c, nil
}

// known reports whether pid is the child of an owner in this process, whose own goroutine
// reaps it.
func known(pid int) (is bool) {
	owners.Range(func(_, l any) bool {
		_, is = l.(*Local).pids.Load(pid)
		return !is
	})
	return is
}

// Subreaper returns the ID of this process, which adopts the orphans of its children, or 0
// for a Guest.
func (l *Local) Subreaper() int {
	if l.opt.Guest {
		return 0
	}
	return os.Getpid()
}

// Close ends the orphans that its children have left behind, unless it is a Guest. End the
// children first.
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
	owners.Delete(l.mark())
	return err
}
