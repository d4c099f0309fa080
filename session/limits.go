package session

import (
	"fmt"
	"strconv"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/limit"
)

// Limits bound what a Manager's sessions may use, see package limit. The zero value gives
// the defaults.
type Limits = limit.Limits

// OutputLimit returns the default limit on the output of a reply, in characters.
func (m *Manager) OutputLimit() int { return m.opt.Limits.Output }

// oldestEndedLocked returns the oldest session that has ended and is not lost, or nil if there is
// none.
func (m *Manager) oldestEndedLocked() *Session {
	for _, s := range m.sessions {
		if !child.IsLost(s.child) && !s.loops.running() {
			return s
		}
	}
	return nil
}

// makeRoom deletes the oldest ended session, unless it is newest, if there are more than MaxSessions sessions.
// It adds a note to the first reply of newest.
func (m *Manager) makeRoom(newest *Session) {
	m.mu.Lock()
	old := m.oldestEndedLocked()
	if m.countLocked() <= m.opt.MaxSessions || old == nil || old == newest {
		m.mu.Unlock()
		return
	}
	m.removeLocked(old)
	m.mu.Unlock()
	note := fmt.Sprintf("session %s (%s), which had ended, was deleted to make room (%s)", old.id, old.opt.Name, limit.HowToRaise(limit.Sessions, strconv.Itoa(m.opt.MaxSessions)))
	if err := old.discard(false); err != nil {
		note += ": " + err.Error()
	}
	newest.mu.Lock()
	defer newest.mu.Unlock()
	newest.readers.Notices.Add(note)
}
