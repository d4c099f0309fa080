package session

import (
	"context"
	"os"

	"github.com/glasstty/glasstty/session/child"
)

// Within reports whether a process descends from the program of one of the sessions. id is the id of that
// session, or "" if the session is not known. within is true for a process that has ended, because the
// kernel no longer shows where it came from. within is false for this process, and for a pid of 0, which
// stands for a process that this process cannot see.
//
// Within judges by the process's parents, as the kernel lists them, and by its terminal session. On Linux,
// if the parent of a process ends, the owner of the sessions becomes its parent (PR_SET_CHILD_SUBREAPER), so
// a process cannot escape by fork or setsid. A process that another program starts on request (a
// service manager, cron, ssh to this machine) is not a descendant.
func (m *Manager) Within(pid int) (id string, within bool) {
	if pid <= 0 || pid == os.Getpid() {
		return "", false
	}
	lineage, err := child.Lineage(pid)
	if err != nil {
		return "", true
	}
	return child.InSession(lineage, m.programs(), m.owner.Subreaper())
}

// programs maps the process ids of the running sessions' programs to session ids.
func (m *Manager) programs() map[int]string {
	all, _, _ := m.Sessions(context.Background(), 0)
	programs := make(map[int]string, len(all))
	for _, s := range all {
		if pid := s.child.PID(); s.loops.running() && pid > 0 {
			programs[pid] = s.id
		}
	}
	return programs
}

// AllWithin returns the ids of all existing processes for which Within is true. It reads the
// process table once.
func (m *Manager) AllWithin() []int {
	programs, reaper := m.programs(), m.owner.Subreaper()
	var pids []int
	for _, lineage := range child.Lineages() {
		if _, within := child.InSession(lineage, programs, reaper); within && lineage[0].PID != os.Getpid() {
			pids = append(pids, lineage[0].PID)
		}
	}
	return pids
}
