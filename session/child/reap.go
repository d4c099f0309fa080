package child

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// reapDelay is the time after which an unknown zombie is reaped. os/exec reaps its own
// children at once, so a zombie that is left is an orphan that this process has adopted.
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
			// A burst of signals gets one delay, which begins with the first.
			if len(before) == 0 {
				timer.Reset(reapDelay)
				before[0] = true
			}
			continue
		case <-timer.C:
		}
		_, zombies := strangers()
		now := map[int]bool{}
		for _, p := range zombies {
			if before[p.pid] {
				reap(p.pid)
			} else {
				now[p.pid] = true
			}
		}
		before = now
		if len(before) > 0 {
			timer.Reset(reapDelay)
		}
	}
}
