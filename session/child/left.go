package child

import (
	"context"
	"syscall"
	"time"
)

// EndTagged signals the processes that carry a tag, those of their terminal sessions and
// their descendants, kills what is left after grace, and returns when none lives. It is
// for the processes of a child whose owner has ended. It finds nothing without a tag and
// on systems where processes carry none.
func EndTagged(ctx context.Context, tag string, sig syscall.Signal, grace time.Duration) error {
	g := leftGroup(tag)
	defer g.remove()
	left := append(tagged(tag), g.members()...)
	for _, pid := range left {
		_ = syscall.Kill(pid, sig)
		if sig == syscall.SIGTERM && hangsUp(pid) {
			_ = syscall.Kill(pid, syscall.SIGHUP)
		}
		_ = syscall.Kill(pid, syscall.SIGCONT) // a stopped process handles signals only then
	}
	found, late := startsOf(left), time.Now().Add(grace)
	return untilGone(ctx, grace+killLimit, func() ([]int, bool) {
		kill := !time.Now().Before(late)
		if left = found.same(); kill || len(left) == 0 {
			left = append(tagged(tag), g.members()...) // also those that were started meanwhile
			found = startsOf(left)
		}
		if kill {
			g.kill()
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		return left, len(left) == 0
	})
}
