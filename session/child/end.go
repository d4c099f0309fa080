package child

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"
)

const (
	// killLimit is how long the child and its descendants may take to end after SIGKILL:
	// on a busy machine each of them waits for a processor.
	killLimit = 10 * time.Second
	// killRound is how often the process table is read again meanwhile: a descendant may
	// have forked before the signal reached it.
	killRound = 10 * time.Millisecond
)

// End signals the child's process tree, kills the processes that are left after the grace
// period, and returns when the child is reaped and no descendant lives.
func (c *localChild) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	pid := c.PID()
	// Before the child ends: its orphans are harder to find.
	left := c.kin()
	if c.running() {
		c.signalTree(left, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			// An interactive shell, which ends when its terminal hangs up. Any other
			// program that ignores SIGTERM gets the grace period.
			_ = c.cmd.Process.Signal(syscall.SIGHUP) // it may have ended
		}
		found := startsOf(left)
		if err := c.waitExit(ctx, grace); err != nil {
			return err
		}
		left = found.same()
	}
	return c.killAll(ctx, left)
}

// kin returns the living processes of the child's tree without the child itself.
func (c *localChild) kin() (pids []int) {
	reaped := c.reaped.Load()
	for _, p := range c.owner.trees([]*localChild{c})[c] {
		if p.alive() && (reaped || p.pid != c.PID()) {
			pids = append(pids, p.pid)
		}
	}
	return pids
}

// starts maps process IDs to the times when the processes were started. A process with
// the same ID and another time is another process.
type starts map[int]int64

// startsOf returns the times when the living ones of pids were started.
func startsOf(pids []int) starts {
	s := starts{}
	for _, pid := range pids {
		if p, ok := readProcess(pid); ok {
			s[pid] = p.started
		}
	}
	return s
}

// same returns the processes that still live.
func (s starts) same() (pids []int) {
	for pid, started := range s {
		if p, ok := readProcess(pid); ok && p.started == started && p.alive() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// signalTree sends sig to the child's process group and to its descendants. A stopped
// process handles the signal only when it continues.
func (c *localChild) signalTree(below []int, sig syscall.Signal) {
	for _, sig := range []syscall.Signal{sig, syscall.SIGCONT} {
		if !c.reaped.Load() {
			_ = syscall.Kill(-c.PID(), sig)
		}
		for _, p := range below {
			_ = syscall.Kill(p, sig)
		}
	}
}

// waitExit waits for the child to end, at most for grace.
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

// untilGone calls round again and again until it reports that no process is left. The
// error wraps ErrLeftBehind, with those left, when some are after limit.
func untilGone(ctx context.Context, limit time.Duration, round func() (left []int, gone bool)) error {
	end := time.NewTimer(limit)
	defer end.Stop()
	next := time.NewTicker(killRound)
	defer next.Stop()
	for {
		left, gone := round()
		if gone {
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

// killAll sends SIGKILL to the child while it runs, to the living ones of left, and to
// all descendants of the child, until none lives.
func (c *localChild) killAll(ctx context.Context, left []int) error {
	return untilGone(ctx, killLimit, func() ([]int, bool) {
		running := c.running()
		if running {
			_ = c.cmd.Process.Kill()
		}
		c.group.kill()
		left = slices.DeleteFunc(append(left, c.kin()...), func(p int) bool { return !Alive(p) })
		slices.Sort(left)
		left = slices.Compact(left)
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		if running {
			return append(slices.Clone(left), c.PID()), false
		}
		return left, len(left) == 0 && c.group.empty()
	})
}

// endStrangers kills the daemons whose child is not known, and the processes in control
// groups that children have left, and reaps those that it has killed.
func (l *Local) endStrangers(groups []*group) error {
	killed := map[int]bool{}
	return untilGone(context.Background(), killLimit, func() ([]int, bool) {
		living, zombies := l.strangers()
		for _, pid := range zombies {
			// Another owner in this process may be about to reap its own.
			if killed[pid] {
				reap(pid)
			}
		}
		for _, pid := range living {
			killed[pid] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		maps.DeleteFunc(killed, func(pid int, _ bool) bool {
			_, there := readProcess(pid)
			return !there
		})
		full := slices.ContainsFunc(groups, func(g *group) bool {
			g.kill()
			return !g.empty()
		})
		return slices.Sorted(maps.Keys(killed)), len(killed) == 0 && !full
	})
}
