package child

import (
	"context"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// Limits restrict what a child and all its descendants use together. Zero means no limit. A process
// tree that is over a limit is killed when it is measured next. If Cgroups.Limits is set, the kernel
// also enforces Memory at once, and limits the number of threads to 16 times Processes.
type Limits struct {
	Processes int           // living processes, including the child
	Memory    int64         // bytes in use; shared memory counts once
	CPU       time.Duration // time on processors, since the start
}

// A LimitName is the name of one of the Limits.
type LimitName string

// The names of the limits.
const (
	LimitProcesses LimitName = "processes"
	LimitMemory    LimitName = "memory"
	LimitCPU       LimitName = "cpu"
)

// An Exceeded is the limit for which a child was killed.
type Exceeded struct {
	What LimitName // empty if the child was not killed for a limit
	Used int64     // processes, bytes, or nanoseconds
	Max  int64
}

// exceeded returns the limit that the use of a tree exceeds, or a zero Exceeded if it exceeds none.
// exact returns the exact memory use of the tree. Because exact is slow, it is called only if
// u.resident, which counts shared memory for each process, is over the limit.
func (l Limits) exceeded(u use, exact func() int64) Exceeded {
	if l.Processes > 0 && u.processes > l.Processes {
		return Exceeded{LimitProcesses, int64(u.processes), int64(l.Processes)}
	}
	if l.CPU > 0 && u.cpu > l.CPU {
		return Exceeded{LimitCPU, int64(u.cpu), int64(l.CPU)}
	}
	if l.Memory > 0 && u.resident > l.Memory {
		if used := exact(); used > l.Memory {
			return Exceeded{LimitMemory, used, l.Memory}
		}
	}
	return Exceeded{}
}

// A use is what a process tree uses.
type use struct {
	processes int
	resident  int64         // bytes; shared memory counts for each process
	cpu       time.Duration // of living and of ended processes
}

// enforce kills the child's process tree because the tree is over a limit. If the child has ended
// already, enforce kills the processes that the child has left behind, and records no limit.
func (c *localChild) enforce(o Exceeded, tree []process) {
	if !c.killing.CompareAndSwap(false, true) {
		return // already being killed
	}
	c.mu.Lock()
	if c.running() {
		c.exceededLocked(o)
	}
	c.mu.Unlock()
	killGroups(tree)
	c.owner.loops.Go(func() {
		defer c.killing.Store(false)
		_ = c.killAll(context.Background(), tree) // the next measurement finds those that are left
	})
}

// exceededLocked records and logs why the child is killed. Only the first reason counts.
func (c *localChild) exceededLocked(o Exceeded) {
	if c.exceeded.What == "" {
		c.exceeded = o
		c.log.add(eventlog.Event{Kind: eventlog.Marker, Data: []byte("limit: " + string(o.What))})
	}
}

// killGroups kills the process groups of a tree. The signal reaches all processes of a group at
// once, even while they fork.
func killGroups(tree []process) {
	killed := map[int]bool{}
	for _, p := range tree {
		if p.group <= 1 || killed[p.group] {
			continue
		}
		// No other group can have the group's ID while a member lives.
		if now, ok := readProcess(p.pid); ok && now.started == p.started && now.group == p.group {
			killed[p.group] = true
			_ = syscall.Kill(-p.group, syscall.SIGKILL)
		}
	}
}
