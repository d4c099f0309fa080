package child

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// EndTagged ends the process tree of the child with a tag (Child.Tag) after the child's owner has
// ended. It signals the processes, kills those that are left after grace, and returns when none
// lives. The error wraps ErrLeftBehind if a process survives. EndTagged does nothing if tag is
// empty, or on systems other than Linux.
func EndTagged(ctx context.Context, tag string, sig syscall.Signal, grace time.Duration) error {
	if tag == "" {
		return nil
	}
	r := &root{tag: tag, group: abandonedGroup(tag)}
	defer r.group.remove()
	left := r.living(processes())
	for _, p := range left {
		p.signal(sig)
		if sig == syscall.SIGTERM && endsOnHangup(p.pid) {
			p.signal(syscall.SIGHUP)
		}
		p.signal(syscall.SIGCONT) // a stopped process handles signals only when it continues
	}
	err := untilGone(ctx, grace, func() ([]int, bool) {
		left = survivors(left)
		return nil, len(left) == 0
	})
	if err != nil && !errors.Is(err, ErrLeftBehind) {
		return err
	}
	return r.kill(ctx, left, processes) // also kills processes that were started meanwhile
}
