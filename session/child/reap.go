package child

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// reapDelay is how long an unknown child has been a zombie before it is reaped. os/exec
// reaps its own children at once, so a zombie that is left is an orphan that this process
// has adopted.
const reapDelay = time.Second

// reapLoop reaps adopted orphans until the Local is closed. It never waits for "any
// child", which would take exit statuses from os/exec.
func (l *Local) reapLoop() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	timer := time.NewTimer(reapDelay)
	defer timer.Stop()
	timer.Stop()
	before := map[int]bool{}
	for {
		select {
		case <-l.done:
			return
		case <-ended:
			// One delay for a burst of signals, from the first on.
			if len(before) == 0 {
				timer.Reset(reapDelay)
				before[0] = true
			}
			continue
		case <-timer.C:
		}
		_, zombies := l.strangers()
		now := map[int]bool{}
		for _, pid := range zombies {
			if before[pid] {
				reap(pid)
			} else {
				now[pid] = true
			}
		}
		before = now
		if len(before) > 0 {
			timer.Reset(reapDelay)
		}
	}
}
