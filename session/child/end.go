package child

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"
)

const (
	// killLimit is how long descendants may take to vanish after SIGKILL.
	killLimit = 3 * time.Second
	// killRound is how often the process table is read anew meanwhile: a
	// descendant may have forked between the look and the signal.
	killRound = 10 * time.Millisecond
)

// End signals the child's tree, kills what is left after the grace period, and
// returns when the child is reaped and no descendant lives.
func (c *localChild) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	pid := c.PID()
	// Found before the child ends: its orphans are harder to tell.
	left := c.owner.descendants(pid, c.tag, !c.running())
	if c.running() {
		signalTree(pid, left, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			// An interactive shell, which ends when its terminal hangs up. Any
			// other program that ignores the signal has the grace period.
			_ = syscall.Kill(pid, syscall.SIGHUP)
		}
		if err := c.waitExit(ctx, grace); err != nil {
			return err
		}
	}
	return c.killAll(ctx, left)
}

// signalTree sends sig to the child's process group and to its descendants. A
// stopped process acts on the signal only when it goes on.
func signalTree(pid int, below []int, sig syscall.Signal) {
	_ = syscall.Kill(-pid, sig)
	for _, p := range below {
		_ = syscall.Kill(p, sig)
	}
	_ = syscall.Kill(-pid, syscall.SIGCONT)
	for _, p := range below {
		_ = syscall.Kill(p, syscall.SIGCONT)
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

// killAll sends SIGKILL to the child while it runs, to those of left that live
// and to whatever descends from it, until nothing does.
func (c *localChild) killAll(ctx context.Context, left []int) error {
	pid := c.PID()
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	round := time.NewTicker(killRound)
	defer round.Stop()
	for {
		running := c.running()
		if running {
			_ = c.cmd.Process.Kill()
		}
		left = slices.DeleteFunc(append(left, c.owner.descendants(pid, c.tag, !running)...), func(p int) bool { return !Alive(p) })
		slices.Sort(left)
		left = slices.Compact(left)
		if !running && len(left) == 0 {
			return nil
		}
		for _, p := range left {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		select {
		case <-round.C:
		case <-limit.C:
			return fmt.Errorf("%w: pids %v", ErrLeftBehind, left)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// endStrangers kills the daemons that no child could be found for, and reaps
// those it has killed.
func (l *Local) endStrangers() error {
	limit := time.NewTimer(killLimit)
	defer limit.Stop()
	round := time.NewTicker(killRound)
	defer round.Stop()
	killed := map[int]bool{}
	for {
		living, zombies := l.strangers()
		for _, pid := range zombies {
			// Another owner in this process may be about to reap its own.
			if killed[pid] {
				reap(pid)
			}
		}
		if len(living) == 0 {
			return nil
		}
		for _, pid := range living {
			killed[pid] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-round.C:
		case <-limit.C:
			return errors.Join(ErrLeftBehind, fmt.Errorf("pids %v", living))
		}
	}
}
