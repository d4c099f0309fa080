package child

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
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
	// OtherChildren is set if other code in this process starts programs as leaders of sessions
	// (setsid(2)). The Local then adopts no orphans, because Close could not tell such programs from
	// orphans.
	OtherChildren bool
	// Gauge returns the gauge with the number Spec.Slot. If Gauge is nil, each child gets its own.
	Gauge func(slot int) *Gauge
}

// A Local owns children of this process. On Linux the process adopts orphaned descendants, so
// that it can end daemons that a child leaves behind, unless Options.OtherChildren is set.
type Local struct {
	opt    Options
	done   chan struct{}  // closed by Close
	loops  sync.WaitGroup // counts the goroutines; Close waits for them
	table  *table
	watch  *watcher
	groups func() Cgroups // FindCgroups, except in tests
}

// Process IDs, marks and orphans belong to the process, so all its Locals share these variables.
var (
	// ownNonce distinguishes the children of this process from those of an earlier one with the
	// same process ID.
	ownNonce = sync.OnceValue(func() string {
		b := make([]byte, 8)
		_, _ = rand.Read(b) // never fails, see crypto/rand
		return hex.EncodeToString(b)
	})
	startedChildren atomic.Int64 // number of tags that newTag has made
	openLocals      atomic.Int64 // number of Locals that are not closed
	ownChildren     sync.Map     // the children that are not reaped yet, by process ID; localChild.wait reaps them
)

// NewLocal returns an owner without children. The caller closes it.
func NewLocal(o Options) *Local {
	if o.NewStore == nil {
		o.NewStore = func(Spec) (eventlog.Store, error) { return &eventlog.MemStore{}, nil }
	}
	if o.Gauge == nil {
		o.Gauge = func(int) *Gauge { return new(Gauge) }
	}
	l := &Local{opt: o, done: make(chan struct{}), table: newTable(processes), groups: FindCgroups}
	l.watch = newWatcher(l)
	openLocals.Add(1)
	catchIgnoredSignals()
	if !o.OtherChildren {
		adoptOrphans()
		l.loops.Go(l.reapLoop)
	}
	return l
}

// Start starts a child.
func (l *Local) Start(spec Spec) (Child, error) {
	tag := newTag(spec.ID)
	cmd := &exec.Cmd{Path: spec.Path, Args: spec.Args, Env: environ.With(spec.Env, tagName, tag), Dir: spec.Dir}
	c := &localChild{root: root{tag: tag}, owner: l, spec: spec, cmd: cmd, calls: newCalls()}
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

// Subreaper returns 0 if Options.OtherChildren is set, otherwise the ID of this process. On Linux,
// this process then adopts the orphans of its children.
func (l *Local) Subreaper() int {
	if l.opt.OtherChildren {
		return 0
	}
	return os.Getpid()
}

// Close kills the orphans that the children have left behind: every other child of this process
// that is not in this process's session. It kills none if another Local of this process is open, or
// if Options.OtherChildren is set. End the children first, because Close waits until they have ended.
func (l *Local) Close() error {
	var err error
	if left := openLocals.Add(-1); left == 0 && !l.opt.OtherChildren {
		err = l.endOrphans()
	}
	close(l.done)
	l.loops.Wait()
	return err
}
