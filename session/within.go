package session

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/glasstty/glasstty/session/child"
)

// An adopter is a child.Owner that knows the process to which its children belong, and
// the orphans that they leave behind.
type adopter interface {
	Adopter() int // that process's id, 0 when orphans are others' to adopt
}

// Within reports whether a process was started in one of the sessions, by its program
// or by what that has started, however far below; id is the session's, "" when only
// the others can be told. One that has ended is taken for such: nobody can say where
// it came from. 0 is a process that cannot be seen from here, and so none of ours.
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
	return m.leads(line, m.heads())
}

// leads is Within for a line, with the sessions' heads.
func (m *Manager) leads(line []child.Relative, heads map[int]string) (id string, within bool) {
	for _, p := range line {
		for _, head := range []int{p.PID, p.Session} {
			if id, ok := heads[head]; ok {
				return id, true
			}
		}
	}
	return "", m.adopted(line)
}

// heads returns the sessions that run by the process ids of their programs.
func (m *Manager) heads() map[int]string {
	m.mu.Lock()
	all := slices.Clone(m.sessions)
	m.mu.Unlock()
	heads := make(map[int]string, len(all))
	for _, s := range all {
		if pid := s.child.PID(); s.running() && pid > 0 {
			heads[pid] = s.id
		}
	}
	return heads
}

// adopted reports whether a line goes through the owner of the sessions' children:
// what is below it is a session's orphan. In this process others may have started
// programs too; these stay in its own terminal session.
func (m *Manager) adopted(line []child.Relative) bool {
	a, ok := m.owner.(adopter)
	if !ok {
		return false
	}
	owner := a.Adopter()
	at := slices.IndexFunc(line, func(p child.Relative) bool { return p.PID == owner })
	switch {
	case at < 1:
		return false
	case owner != os.Getpid():
		return true
	}
	own, err := unix.Getsid(0)
	return err != nil || line[at-1].Session != own
}

// AllWithin returns the processes for which Within is true, by one look at the
// process table.
func (m *Manager) AllWithin() []int {
	heads := m.heads()
	var pids []int
	for _, line := range child.Lineages() {
		if _, within := m.leads(line, heads); within && line[0].PID != os.Getpid() {
			pids = append(pids, line[0].PID)
		}
	}
	return pids
}
