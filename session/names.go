package session

import (
	"fmt"
	"slices"
	"strconv"
)

// freeNameLocked returns base, or base with the first number that makes the name unique.
func (m *Manager) freeNameLocked(base string) string {
	if len(base) > maxName {
		base = base[:maxName]
	}
	name := base
	for n := 2; slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.opt.Name == name }); n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

// noteSharedName adds a note to the first reply of a new session if another running session
// has the same name.
func (m *Manager) noteSharedName(newest *Session) {
	m.mu.Lock()
	i := slices.IndexFunc(m.sessions, func(s *Session) bool {
		return s != newest && s.opt.Name == newest.opt.Name && s.loops.running()
	})
	if i < 0 {
		m.mu.Unlock()
		return
	}
	other := m.sessions[i].id
	m.mu.Unlock()
	newest.mu.Lock()
	defer newest.mu.Unlock()
	newest.readers.first = append(newest.readers.first, fmt.Sprintf("%s runs under the name %q too: use the ids %s and %s", other, newest.opt.Name, other, newest.id))
}
