package session

import (
	"context"
	"fmt"

	"github.com/glasstty/glasstty/session/state"
	"github.com/glasstty/glasstty/session/text"
)

// maxReaders is the maximum number of readers of one session.
const maxReaders = 64

// maxObservers is the maximum number of readers in one session that observers (see WithObserver) have
// registered. The rest of the maxReaders readers are reserved for other clients.
const maxObservers = maxReaders / 4

// A readerSet holds the readers of a session, and the notes for them. The session's mutex
// guards it.
type readerSet struct {
	All     map[int]*state.Reader
	Last    int                    // the id of the newest reader
	Notices state.Numbered[string] // notes; each reader gets those that were added after it was registered
}

// reader returns the reader with this id. The error names session.
func (a *readerSet) reader(id int, session string) (*state.Reader, error) {
	if r, ok := a.All[id]; ok {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %d in session %s", ErrNoReader, id, session)
}

// AddReader registers a reader that starts at the oldest kept output.
func (s *Session) AddReader(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	observer, observers := Observer(ctx), 0
	for _, r := range s.readers.All {
		if r.Observer != "" {
			observers++
		}
	}
	switch {
	case len(s.readers.All) >= maxReaders:
		return 0, fmt.Errorf("%w: session %s has %d readers, which is the maximum; free one with unregister_reader", ErrTooMany, s.id, len(s.readers.All))
	case observer != "" && observers >= maxObservers:
		return 0, fmt.Errorf("%w: session %s has %d readers of clients that may only look, which is the maximum; snapshot, and read_output without a reader_id, need none", ErrTooMany, s.id, observers)
	}
	s.readers.Last++
	first := s.state.Term.FirstLine()
	s.readers.All[s.readers.Last] = &state.Reader{
		Seen: text.Seen{Line: first}, Before: s.state.Term.BytesBefore(first), Observer: observer,
		Raw: s.state.Raw.First(), Event: s.state.Events.First, Notice: s.readers.Notices.End(),
	}
	s.keepLocked()
	return s.readers.Last, nil
}

// RemoveReader removes a reader, but not reader 0. An observer removes only its own
// readers.
func (s *Session) RemoveReader(ctx context.Context, id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readers.reader(id, s.id)
	if err != nil {
		return err
	}
	if id == 0 {
		return fmt.Errorf("%w: reader 0 is the session's own and cannot be removed", ErrArgument)
	}
	if !mayMove(ctx, r) {
		return fmt.Errorf("%w: reader %d of session %s is another client's, and this client may only look", ErrArgument, id, s.id)
	}
	delete(s.readers.All, id)
	s.keepLocked()
	return nil
}

// BeginRun saves a reader's position before several calls that share one answer. If a client repeats the
// calls under the name in ctx, because the server was restarted, BeginRun marks their output as unread.
// undo does so for a client that got no answer.
func (s *Session) BeginRun(ctx context.Context, reader int) (undo func() error, err error) {
	undo = func() error { return s.moveReader(reader, (*state.Reader).RestoreRun) }
	return undo, s.moveReader(reader, func(r *state.Reader) { r.BeginRun(callerOf(ctx).call) })
}

// MarkUnread is called if clients did not receive the output of calls whose names begin with prefix. If the
// last call of a reader is such a call, MarkUnread marks the output of that call, or of the run of calls to
// which it belongs, as unread. found reports whether there was such a call.
func (m *Manager) MarkUnread(prefix string) (found bool) {
	all, _, _ := m.Sessions(context.Background(), 0) // none if the Manager is closed
	for _, s := range all {
		s.mu.Lock()
		for _, r := range s.readers.All {
			if r.MarkUnread(prefix) {
				found = true
				s.keepLocked()
			}
		}
		s.mu.Unlock()
	}
	return found
}

// moveReader moves a reader, and keeps its new position.
func (s *Session) moveReader(reader int, move func(r *state.Reader)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readers.reader(reader, s.id)
	if err != nil {
		return err
	}
	move(r)
	s.keepLocked()
	return nil
}
