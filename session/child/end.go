package child

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"syscall"
	"time"
)

const (
	// killLimit is the time that the child and its descendants may take to end after
	// SIGKILL: on a busy machine each of them waits for a processor.
	killLimit = 10 * time.Second
	// killRound is the interval between two checks for processes that are left: a process may have
	// forked before the signal reached it.
	killRound = 10 * time.Millisecond
)

// End signals the child's process tree if the child still runs. When the child has ended, or after
// the grace period, End kills the processes that are left. It returns when Wait does and no
// descendant lives, or when ctx ends. The error wraps ErrLeftBehind if a process survives killLimit.
func (c *localChild) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	// The process table is read before the child ends, because orphans are harder to find later.
	left := c.living(c.owner.table.processes())
	if c.running() {
		c.signalTree(left, sig)
		if sig == syscall.SIGTERM && endsOnHangup(c.PID()) {
			// This is an interactive shell, which ends when its terminal hangs up. Any
			// other program that ignores SIGTERM gets the grace period.
			_ = c.cmd.Process.Signal(syscall.SIGHUP) // the shell may have ended
		}
		if err := c.waitExit(ctx, grace); err != nil {
			return err
		}
	}
	return c.killAll(ctx, left)
}

// survives reports whether the process still lives. A process with the same ID that was
// started at another time is another process.
func (p process) survives() bool {
	now, ok := readProcess(p.pid)
	return ok && now.started == p.started && now.alive()
}

// signal sends sig to the process if it still lives. With a pidfd (Linux 5.4 and later) the signal
// never reaches another process that has reused the ID. Otherwise it can, between check and signal.
func (p process) signal(sig syscall.Signal) {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if p.survives() {
		_ = handle.Signal(sig) // it may have ended just now
	}
}

// survivors returns the processes in all that still live, sorted by ID, without duplicates.
// It overwrites the slice all.
func survivors(all []process) []process {
	all = slices.DeleteFunc(all, func(p process) bool { return !p.survives() })
	slices.SortFunc(all, func(p, q process) int { return cmp.Compare(p.pid, q.pid) })
	return slices.CompactFunc(all, func(p, q process) bool { return p.pid == q.pid })
}

// pidsOf returns the IDs of processes.
func pidsOf(all []process) (pids []int) {
	for _, p := range all {
		pids = append(pids, p.pid)
	}
	return pids
}

// signalTree sends sig, then SIGCONT, to the child's process group and to the other processes of
// its tree. It sends SIGCONT because a stopped process handles a signal only when it continues.
func (c *localChild) signalTree(tree []process, sig syscall.Signal) {
	for _, sig := range []syscall.Signal{sig, syscall.SIGCONT} {
		c.signalGroup(sig)
		for _, p := range tree {
			if !c.is(p) {
				p.signal(sig)
			}
		}
	}
}

// signalGroup sends sig to the child's process group, unless the child may have been reaped: after
// that, another group may have the same ID.
func (c *localChild) signalGroup(sig syscall.Signal) {
	c.reaping.Lock()
	defer c.reaping.Unlock()
	if !c.reaped {
		_ = syscall.Kill(-c.PID(), sig)
	}
}

// beginReaping is called before the child is reaped. Afterwards signalGroup does nothing.
func (c *localChild) beginReaping() {
	c.reaping.Lock()
	defer c.reaping.Unlock()
	c.reaped = true
}

// waitExit waits for the child to end, at most for grace. It returns an error only if ctx ends first.
func (c *localChild) waitExit(ctx context.Context, grace time.Duration) error {
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-c.exited:
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// untilGone calls round every killRound until round reports that no process is left. If some are
// left after limit, the error wraps ErrLeftBehind and lists the IDs that round returned.
func untilGone(ctx context.Context, limit time.Duration, round func() (left []int, done bool)) error {
	end := time.NewTimer(limit)
	defer end.Stop()
	next := time.NewTicker(killRound)
	defer next.Stop()
	for {
		left, done := round()
		if done {
			return nil
		}
		select {
		case <-next.C:
		case <-end.C:
			return fmt.Errorf("%w: pids %v", ErrLeftBehind, left)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// killAll kills the tree and the processes in left, and returns when the child is reaped too.
func (c *localChild) killAll(ctx context.Context, left []process) error {
	_ = c.cmd.Process.Kill() // works even if the process table is hidden; the child may have ended
	if err := c.kill(ctx, left, c.owner.table.processes); err != nil {
		return err
	}
	select {
	case <-c.exited:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// kill sends SIGKILL to the processes in left and to all of the tree, which kill finds in the
// process table that read returns. It repeats this until none lives or killLimit has passed.
func (r *root) kill(ctx context.Context, left []process, read func() []process) error {
	return untilGone(ctx, killLimit, func() ([]int, bool) {
		r.group.kill()
		left = survivors(append(left, r.living(read())...))
		for _, p := range left {
			p.signal(syscall.SIGKILL)
		}
		return pidsOf(left), len(left) == 0 && r.group.empty()
	})
}

// endOrphans kills the orphans that this process has adopted, and reaps them. If another Local is
// opened meanwhile, endOrphans leaves the rest to it.
func (l *Local) endOrphans() error {
	killed := map[int]process{}
	return untilGone(context.Background(), killLimit, func() ([]int, bool) {
		if openLocals.Load() > 0 {
			return nil, true
		}
		living, zombies := adoptedOrphans()
		for _, p := range zombies {
			// Zombies that were not killed here may be children of other code, which reaps them.
			if k, ok := killed[p.pid]; ok && k.started == p.started {
				reap(p.pid)
			}
		}
		for _, p := range living {
			killed[p.pid] = p
			p.signal(syscall.SIGKILL)
		}
		maps.DeleteFunc(killed, func(pid int, p process) bool {
			now, exists := readProcess(pid)
			return !exists || now.started != p.started
		})
		return slices.Sorted(maps.Keys(killed)), len(killed) == 0
	})
}
