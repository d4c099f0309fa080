package session

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// reapDelay is how long a child of unknown origin has been a zombie before it
// is reaped: os/exec takes its own children at once, so what is still there is
// an orphan that this process has adopted.
const reapDelay = time.Second

// reapLoop reaps adopted orphans until the Manager is closed. It never waits
// for "any child": that would steal the exit status of os/exec's.
func (m *Manager) reapLoop() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	defer signal.Stop(ended)
	timer := time.NewTimer(reapDelay)
	defer timer.Stop()
	timer.Stop()
	before := map[int]bool{}
	for {
		select {
		case <-m.done:
			return
		case <-ended:
			// The delay starts at the first of a burst, and gathers the rest.
			if len(before) == 0 {
				timer.Reset(reapDelay)
				before[0] = true
			}
			continue
		case <-timer.C:
		}
		_, zombies := strangers(m.knows)
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

// knows reports whether pid is a session's child, which its waitLoop reaps.
func (m *Manager) knows(pid int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		if s.cmd.Process.Pid == pid {
			return true
		}
	}
	return false
}
