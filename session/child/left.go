package child

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"time"
)

// EndTagged signals the processes that carry a tag, with those of their terminal
// sessions and below them, kills what is left after grace, and returns when none
// lives. It is for what a child has left whose owner is no more. Without a tag, and
// on systems that hide the environment of processes, nothing is found.
func EndTagged(ctx context.Context, tag string, sig syscall.Signal, grace time.Duration) error {
	left := tagged(tag)
	for _, pid := range left {
		_ = syscall.Kill(pid, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			_ = syscall.Kill(pid, syscall.SIGHUP)
		}
		_ = syscall.Kill(pid, syscall.SIGCONT) // a stopped process acts on it only then
	}
	return killTagged(ctx, tag, left, time.Now().Add(grace))
}

// killTagged waits for the end of processes, and from a moment on kills them and
// whatever carries the tag.
func killTagged(ctx context.Context, tag string, left []int, from time.Time) error {
	round := time.NewTicker(killRound)
	defer round.Stop()
	for {
		now := time.Now()
		late := !now.Before(from)
		if left = slices.DeleteFunc(left, func(pid int) bool { return !Alive(pid) }); late || len(left) == 0 {
			left = tagged(tag) // also those that were begun meanwhile
		}
		switch {
		case len(left) == 0:
			return nil
		case now.After(from.Add(killLimit)):
			return fmt.Errorf("%w: pids %v", ErrLeftBehind, left)
		}
		for _, pid := range left {
			if late {
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
