package session

import (
	"os"
	"slices"

	"github.com/glasstty/glasstty/session/child"
)

// An adopter is a child.Owner that adopts orphans: processes whose parent, a descendant
// of one of its children, has ended.
type adopter interface {
	Adopter() int // the id of the adopting process; 0 when another process adopts orphans
}

// Within reports whether a process descends from the program of one of the sessions. id is
// that session's, or "" when it is not known which one. A process that has ended counts as
// within, because its origin can no longer be seen. A pid of 0 is a process that cannot be
// seen from here, so it is not within.
//
// A process's parents, as the kernel lists them, and its terminal session decide. A
// process whose parent has ended is adopted by the sessions' owner
// (PR_SET_CHILD_SUBREAPER), so on Linux a process cannot get out by fork or setsid. A
// process that another program starts on request (a service manager, cron, ssh to this
// machine) is not a descendant.
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

// heads maps the process ids of the running sessions' programs to session ids.
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

// adopter returns the id of the process that adopts the sessions' orphans, 0 for none.
func (m *Manager) adopter() int {
	if a, ok := m.owner.(adopter); ok {
		return a.Adopter()
	}
	return 0
}

// AllWithin returns the ids of all processes for which Within is true. It reads the
// process table once.
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
