package session

import (
	"os"
	"slices"

	"github.com/glasstty/glasstty/session/child"
)

// An adopter is a child.Owner that knows the process to which its children belong, and
// the orphans that they leave behind.
type adopter interface {
	Adopter() int // that process's id, 0 when orphans are others' to adopt
}

// Within reports whether a process descends from the program of one of the sessions. id is
// that session's, or "" when it is not known which one. A process that has ended counts as
// within, because its origin can no longer be seen. A pid of 0 is a process that cannot be
// seen from here, so it is not within.
//
// The kernel's own line of parents decides, and the terminal session. A process whose
// parent has ended is adopted by the sessions' owner (PR_SET_CHILD_SUBREAPER), so that
// on Linux no fork or setsid leads out of it. What another program starts at its
// request (a service manager, cron, ssh to this machine) does not descend from it.
func (m *Manager) Within(pid int) (id string, within bool) {
	if pid <= 0 || pid == os.Getpid() {
		return "", false
	}
	line, err := child.Lineage(pid)
	if err != nil {
		return "", true
	}
	return child.Within(line, m.heads(), m.adopter())
}

// heads returns the sessions that run by the process ids of their programs.
func (m *Manager) heads() map[int]string {
	m.mu.Lock()
	all := slices.Clone(m.sessions)
	m.mu.Unlock()
	heads := make(map[int]string, len(all))
	for _, s := range all {
		if pid := s.child.PID(); s.loops.running() && pid > 0 {
			heads[pid] = s.id
		}
	}
	return heads
}

// adopter returns the process that adopts the sessions' orphans, 0 for none.
func (m *Manager) adopter() int {
	if a, ok := m.owner.(adopter); ok {
		return a.Adopter()
	}
	return 0
}

// AllWithin returns the processes for which Within is true, by one look at the
// process table.
func (m *Manager) AllWithin() []int {
	heads, adopter := m.heads(), m.adopter()
	var pids []int
	for _, line := range child.Lineages() {
		if _, within := child.Within(line, heads, adopter); within && line[0].PID != os.Getpid() {
			pids = append(pids, line[0].PID)
		}
	}
	return pids
}
