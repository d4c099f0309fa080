package child

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// EndTagged signals the processes that carry a tag, with those of their terminal
// sessions and below them, kills what is left after grace, and returns when none
// lives. It is for what a child has left whose owner is no more. Without a tag, and
// on systems where processes carry none, nothing is found.
func EndTagged(ctx context.Context, tag string, sig syscall.Signal, grace time.Duration) error {
	g := leftGroup(tag)
	defer g.remove()
	left := append(tagged(tag), g.members()...)
	for _, pid := range left {
		_ = syscall.Kill(pid, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			_ = syscall.Kill(pid, syscall.SIGHUP)
		}
		_ = syscall.Kill(pid, syscall.SIGCONT) // a stopped process acts on it only then
	}
	return killTagged(ctx, tag, g, left, time.Now().Add(grace))
}

// killTagged waits for the end of processes, and from a moment on kills them and
// whatever carries the tag.
func killTagged(ctx context.Context, tag string, g *group, left []int, from time.Time) error {
	round := time.NewTicker(killRound)
	defer round.Stop()
	found := startsOf(left)
	for {
		now := time.Now()
		late := !now.Before(from)
		if left = found.same(); late || len(left) == 0 {
			left = append(tagged(tag), g.members()...) // also those that were begun meanwhile
			found = startsOf(left)
		}
		switch {
		case len(left) == 0:
			return nil
		case now.After(from.Add(killLimit)):
			return fmt.Errorf("%w: pids %v", ErrLeftBehind, left)
		}
		if late {
			g.kill()
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		select {
		case <-round.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
