package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/state"
)

// lostWhen describes when a session was lost.
const lostWhen = "lost when the process that held its program ended without warning"

// MaxLost is the maximum number of lost sessions in a Manager. The logs of further ones stay on disk.
const MaxLost = 50

// AddLost adds, as lost, the sessions in d whose server was killed or that were already lost, as long as
// there are fewer than MaxLost. Their history, messages, screen and recording can be read, and they can be
// deleted. AddLost returns the number of added sessions. The caller keeps d open until the Manager is closed.
// The error names the logs that cannot be read; their sessions are left out. If the Manager is closed
// meanwhile, the error is nil.
func (m *Manager) AddLost(d *eventlog.Dir) (int, error) {
	stores, err := d.Sessions()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, id := range slices.Sorted(maps.Keys(stores)) {
		own, e := m.ownsLog(d, id)
		if e != nil {
			return n, nil // the Manager is closed
		}
		if own {
			continue
		}
		taken, e := m.addIfLost(d, id, stores[id])
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", d.SessionPath(id), e))
		}
		if taken {
			n++
		}
	}
	return n, err
}

// ownsLog reports whether one of m's sessions uses this log.
func (m *Manager) ownsLog(d *eventlog.Dir, id string) (bool, error) {
	all, _, err := m.Sessions(context.Background(), 0)
	path := eventlog.DirStore(d.SessionPath(id))
	return slices.ContainsFunc(all, func(s *Session) bool { return s.child.Log() == eventlog.Store(path) }), err
}

// addIfLost adds one session if it is lost, and reports whether it did.
func (m *Manager) addIfLost(d *eventlog.Dir, id string, store eventlog.DirStore) (bool, error) {
	meta, err := eventlog.LoadMeta(store)
	if err != nil && !errors.Is(err, eventlog.ErrNoLog) {
		return false, err
	}
	if err == nil && meta.Status == string(StatusExited) {
		return false, nil
	}
	l, err := eventlog.Open(store)
	if errors.Is(err, eventlog.ErrNoLog) {
		return false, nil // the server ended before the first event
	}
	if err != nil {
		return false, err
	}
	if meta.Session == "" { // the server ended before the metadata were written
		meta = eventlog.Meta{Session: id, Command: l.Command(), CreatedAt: l.Segments[0].Start}
		if words := strings.Fields(meta.Command); len(words) > 0 {
			meta.Name = filepath.Base(words[0])
		}
	}
	s, err := m.lost(meta, l, store)
	if err != nil {
		return false, err
	}
	if !m.insertLost(s) {
		return false, nil
	}
	s.saveMeta()
	return true, nil
}

// lost rebuilds a session from its log.
func (m *Manager) lost(meta eventlog.Meta, l *eventlog.Log, store eventlog.Store) (*Session, error) {
	o := StartOptions{Command: meta.Command, Args: meta.Args, Name: meta.Name, Dir: meta.Dir, Pipe: meta.Pipe}
	s := newSession(m, meta.Session, o, "", meta.CreatedAt)
	s.child, s.end.status = child.Lost{SavedPID: meta.PID, SavedTag: meta.Tag, Store: store}, StatusLost
	s.queue.Fail()
	close(s.loops.drained)
	close(s.loops.exited)
	l.Ended = true
	s.mu.Lock()
	defer s.mu.Unlock()
	r := state.Recovery{Log: l, Began: l.Segments[0].Start, Until: eventlog.Stream{Total: math.MaxInt64, LogOffset: math.MaxInt64, Replies: math.MaxInt64}}
	err := s.recoverLocked(&r)
	s.ready.State, s.ready.Child = s.state, s.child
	s.opt.Size = s.state.Term.Size()
	s.state.Apply(s.state.Activity, &eventlog.Event{Kind: eventlog.Exit})
	return s, err
}

// insertLost adds a lost session under a free id. It returns false if m is closed, MaxLost is reached or no id is free.
func (m *Manager) insertLost(s *Session) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || len(m.sessions)-m.countLocked() >= MaxLost {
		return false
	}
	base := s.id
	for n := 'b'; m.takenLocked(s.id) && n <= 'z'; n++ {
		s.id = base + string(n)
	}
	if m.takenLocked(s.id) {
		return false
	}
	m.sessions = append(m.sessions, s)
	slices.SortStableFunc(m.sessions, func(a, b *Session) int { return a.created.Compare(b.created) })
	m.notifyLocked()
	return true
}

// takenLocked reports whether a session has this id or name, or is being started with this id. A new session
// must not get the id: a client that means another session by it would reach the new one.
func (m *Manager) takenLocked(id string) bool {
	return id == m.starting || slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.id == id || s.opt.Name == id })
}
