package child

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// reapDelay is the time after which reapLoop reaps a zombie that is not a child of a Local. os/exec
// reaps the processes that it has started at once, so a zombie that is left is an adopted orphan.
const reapDelay = time.Second

// reapLoop reaps adopted orphans until the Local is closed. It waits for each by process ID: a wait
// for any child would take exit statuses from os/exec.
func (l *Local) reapLoop() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	for {
		select {
		case <-l.done:
			return
		case <-ended:
		}
		_, before := adoptedOrphans()
		select {
		case <-l.done:
			return
		case <-time.After(reapDelay):
		}
		_, now := adoptedOrphans()
		for _, p := range now { // for zombies that are not in before, another SIGCHLD has come
			if slices.ContainsFunc(before, func(q process) bool { return q.pid == p.pid && q.started == p.started }) {
				reap(p.pid)
			}
		}
	}
}
