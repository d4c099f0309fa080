package child

import (
	"context"
	"syscall"
	"time"
)

// EndTagged signals the processes that carry a tag, those in sessions that they lead, their
// descendants, and the rest of the child's control group. After grace it kills those that are
// left, and returns when none lives. The error wraps ErrLeftBehind if one survives. EndTagged
// is for the processes of a child whose owner has ended. It does nothing if tag is empty, or
// on systems other than Linux.
func EndTagged(ctx context.Context, tag string, sig syscall.Signal, grace time.Duration) error {
	if tag == "" {
		return nil
	}
	r := &root{tag: tag, group: leftGroup(tag)}
	defer r.group.remove()
	left := r.kin(processes())
	for _, p := range left {
		p.signal(sig)
		if sig == syscall.SIGTERM && hangsUp(p.pid) {
			p.signal(syscall.SIGHUP)
		}
		p.signal(syscall.SIGCONT) // a stopped process handles signals only when it continues
	}
	killTime := time.Now().Add(grace)
	return untilGone(ctx, grace+killLimit, func() ([]int, bool) {
		kill := !time.Now().Before(killTime)
		if left = survivors(left); kill || len(left) == 0 {
			left = r.kin(processes()) // also those that were started meanwhile
		}
		if kill {
			r.group.kill()
			for _, p := range left {
				p.signal(syscall.SIGKILL)
			}
		}
		return pidsOf(left), len(left) == 0
	})
}
