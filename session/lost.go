package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
	"github.com/glasstty/glasstty/session/replay"
)

// MaxLost bounds the lost sessions that one server lists; older ones stay on disk.
const MaxLost = 50

// Adopt lists the sessions in d that its server has left running without a word,
// or that were lost before, as lost: their history, messages, screen and
// recording can be read, and they can be deleted. It returns how many it has
// taken; the caller keeps d open until the Manager is closed. A log that cannot
// be read is left out, and told in the error.
func (m *Manager) Adopt(d *eventlog.Dir) (int, error) {
	stores, err := d.Sessions()
	if err != nil {
		return 0, err
	}
	n := 0
	for _, id := range slices.Sorted(maps.Keys(stores)) {
		own, e := m.ownsLog(d, id)
		if e != nil {
			return n, nil // the Manager is closed: nobody will ask
		}
		if own {
			continue
		}
		taken, e := m.adopt(d, id, stores[id])
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", d.SessionPath(id), e))
		}
		if taken {
			n++
		}
	}
	return n, err
}

// ownsLog reports whether one of the sessions writes or has taken this log.
func (m *Manager) ownsLog(d *eventlog.Dir, id string) (bool, error) {
	m.mu.Lock()
	all, closed := slices.Clone(m.sessions), m.closed
	m.mu.Unlock()
	if closed {
		return false, ErrClosed
	}
	path := eventlog.DirStore(d.SessionPath(id))
	return slices.ContainsFunc(all, func(s *Session) bool { return s.child.Log() == eventlog.Store(path) }), nil
}

// adopt takes one session, and reports whether it is a lost one.
func (m *Manager) adopt(d *eventlog.Dir, id string, store eventlog.DirStore) (bool, error) {
	meta, err := eventlog.LoadMeta(store)
	if err != nil && !errors.Is(err, eventlog.ErrNoLog) {
		return false, err
	}
	if err == nil && meta.Status == string(StatusExited) {
		return false, nil
	}
	l, err := eventlog.Open(store)
	if errors.Is(err, eventlog.ErrNoLog) {
		return false, nil // it ended before its first event
	}
	if err != nil {
		return false, err
	}
	if meta.Session == "" { // it ended before its metadata were written
		meta = eventlog.Meta{Session: id, Command: l.Command(), CreatedAt: l.Segments[0].Start}
		if words := strings.Fields(meta.Command); len(words) > 0 {
			meta.Name = filepath.Base(words[0])
		}
	}
	s, err := m.lost(meta, l, store)
	if err != nil {
		return false, err
	}
	s.forget = func() error { return d.RemoveSession(id) }
	if !m.addLost(s) {
		return false, nil
	}
	s.saveMeta()
	return true, nil
}

// lost rebuilds a session from its log.
func (m *Manager) lost(meta eventlog.Meta, l *eventlog.Log, store eventlog.Store) (*Session, error) {
	s := &Session{
		m: m, id: meta.Session, child: lostChild{meta.PID, meta.Tag, meta.Kept, store},
		opt:     StartOptions{Command: meta.Command, Args: meta.Args, Name: meta.Name, Dir: meta.Dir, Pipe: meta.Pipe},
		created: meta.CreatedAt, status: StatusLost, queue: newQueue(),
		drained: make(chan struct{}), exited: make(chan struct{}), closing: make(chan struct{}), changed: make(chan struct{}),
		readers: map[int]*reader{0: {}},
	}
	s.raw.limit = rawLimit
	s.marks.ran, s.marks.done = -1, -1
	s.queue.fail()
	close(s.drained)
	close(s.exited)
	return s, s.rebuild(replay.New(l, m.opt.Terminal))
}

// rebuild takes screen, output and messages from the log.
func (s *Session) rebuild(r *replay.Replay) error {
	s.mu.Lock() // which nobody else has yet
	defer s.mu.Unlock()
	var last int64 // what came after the last message is to become one too
	err := r.Messages(func(n replay.MessageNote) {
		s.messages.restore(messageOf(n))
		last = n.Offset
	})
	if err != nil {
		return err
	}
	out, in, err := r.Bytes()
	if err != nil {
		return err
	}
	f, err := r.End(last, func(term *emulator.Terminal, e *eventlog.Event) {
		s.term = term
		s.rebuildEventLocked(e, r.Start())
	})
	if err != nil {
		return err
	}
	s.term, s.size = f.Terminal, f.Terminal.Size()
	s.opt.Size = s.size
	s.bytesIn, s.outBefore = in, out-s.raw.total
	s.activity = r.Start().Add(f.At)
	return nil
}

// rebuildEventLocked takes one event, before the terminal does.
func (s *Session) rebuildEventLocked(e *eventlog.Event, start time.Time) {
	now := start.Add(e.At)
	switch e.Kind {
	case eventlog.Output:
		s.raw.write(e.Data)
		s.noteOutputLocked(now)
	case eventlog.Note:
		if e.Name == replay.NoteMessage {
			s.moveToEndLocked(&s.messages.reader)
			s.messages.since = time.Time{}
		}
	}
}

// addLost adds a lost session under an id that is free, and reports whether there
// was room for it.
func (m *Manager) addLost(s *Session) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	lost := 0
	for _, o := range m.sessions {
		if o.lostOne() {
			lost++
		}
	}
	if m.closed || lost >= MaxLost {
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

// takenLocked reports whether a session has this id, or goes by it as its name: who
// has typed to it by that name is not to type to another.
func (m *Manager) takenLocked(id string) bool {
	return id == m.starting || slices.ContainsFunc(m.sessions, func(s *Session) bool { return s.id == id || s.opt.Name == id })
}

// lostOne reports whether the session was taken from a log.
func (s *Session) lostOne() bool {
	_, ok := s.child.(lostChild)
	return ok
}

// keeperEndedLocked reports whether a lost session was lost with its keeper, while
// its server lived.
func (s *Session) keeperEndedLocked() bool {
	c, ok := s.child.(lostChild)
	return !ok || c.kept
}

// lostWhenLocked says when a lost session was lost.
func (s *Session) lostWhenLocked() string {
	if s.keeperEndedLocked() {
		return "lost when its keeper, the process that held it, ended without warning"
	}
	return "lost when its server ended without warning"
}

// restore appends a message that was listed before.
func (l *messageLog) restore(m Message) {
	var n int64
	if _, err := fmt.Sscanf(m.ID, "m%d", &n); err != nil || n < l.next {
		return
	}
	l.next = n + 1
	l.keep(m)
}

// A lostChild stands for a child whose owner has ended: there is only its log.
type lostChild struct {
	pid   int
	tag   string
	kept  bool // its owner was a keeper, whose server lived
	store eventlog.Store
}

// PID returns what was the child's process id.
func (c lostChild) PID() int { return c.pid }

// Tag returns the entry by which its descendants were known.
func (c lostChild) Tag() string { return c.tag }

// Terminal returns nil.
func (lostChild) Terminal() *os.File { return nil }

// Read says that there is no output.
func (lostChild) Read() (child.Event, error) { return child.Event{}, io.EOF }

// Ahead returns false.
func (lostChild) Ahead(int64) bool { return false }

// Write fails.
func (lostChild) Write(child.Input) (int, error) { return 0, io.EOF }

// Resize fails.
func (lostChild) Resize(child.Size) error { return ErrExited }

// Wait tells that nobody knows how the child ended.
func (lostChild) Wait() child.Exit { return child.Exit{Lost: true} }

// End ends what the child has left.
func (c lostChild) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	return child.EndTagged(ctx, c.tag, sig, grace)
}

// Log returns the log.
func (c lostChild) Log() eventlog.Store { return c.store }

// LogStatus tells of nothing.
func (lostChild) LogStatus() eventlog.Status { return eventlog.Status{} }

// Note does nothing.
func (lostChild) Note(eventlog.Event) {}

// Keep does nothing.
func (lostChild) Keep([]byte) {}

// Close does nothing.
func (lostChild) Close() {}
