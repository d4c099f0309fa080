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
	// NewStore makes the place for a new child's log; nil: nothing is logged.
	NewStore func(Spec) (eventlog.Store, error)
	Log      eventlog.Options
	// OpenPTY starts a command on a terminal and returns the master; nil: as
	// the system does. It is for tests of machines without terminals.
	OpenPTY func(*exec.Cmd, Size) (*os.File, error)
	// Guest says that the process has children of others too: orphans are not
	// adopted, and what left its session is not found.
	Guest bool
	// Gauge returns the gauge of a child's slot; nil: one in this process's memory.
	Gauge func(slot int) *Gauge
}

// A Local owns children of this process. On Linux the process adopts orphaned
// descendants, so that daemons a child leaves behind can be ended.
type Local struct {
	opt     Options
	nonce   string       // tells our children from those of another owner
	started atomic.Int64 // children
	done    chan struct{}
	loops   sync.WaitGroup
	table   *table
	watch   *watcher
	// groups tells where children get control groups.
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

// withEntry returns env with an entry put in the place of those with its name.
func withEntry(env []string, entry string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if len(e) <= len(tagName) || e[:len(tagName)+1] != tagName+"=" {
			out = append(out, e)
		}
	}
	return append(out, entry)
}

// note remembers a child that is reaped by its own waiter.
func (l *Local) note(pid int, ours bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ours {
		l.pids[pid] = true
	} else {
		delete(l.pids, pid)
	}
}

// knows reports whether pid is a child that its waiter reaps.
func (l *Local) knows(pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pids[pid]
}

// Adopter returns the id of this process, which inherits what its children leave
// behind; 0 for a guest in it.
func (l *Local) Adopter() int {
	if l.opt.Guest {
		return 0
	}
	return os.Getpid()
}

// Close ends the daemons that no child could be found for. Its children have
// been ended before.
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
