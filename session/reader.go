package session

import (
	"fmt"

	"github.com/glasstty/glasstty/emulator"
)

// maxReaders bounds the readers of one session.
const maxReaders = 64

// A reader is a cursor into what a session has shown. Its zero value stands at
// the oldest output.
type reader struct {
	line   int64  // the first line of the transcript not given, or given in part
	given  string // what was given of that line, as it stood then
	before int64  // bytes of text up to there, to tell how much was lost

	raw    int64  // the first raw byte not given
	screen uint64 // the revision of the last screen given
	event  int64  // the number of the next event

	title, cwd, foreground string // as last told
}

// AddReader registers a reader that starts at the oldest kept output.
func (s *Session) AddReader() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.readers) >= maxReaders {
		return 0, fmt.Errorf("%w: session %s has %d readers, the most there may be", ErrTooMany, s.id, len(s.readers))
	}
	s.nextReader++
	first := s.term.FirstLine()
	s.readers[s.nextReader] = &reader{
		line: first, before: s.term.TextBefore(first),
		raw: s.raw.first(), event: s.events.first,
	}
	return s.nextReader, nil
}

// RemoveReader unregisters a reader; reader 0 cannot go.
func (s *Session) RemoveReader(id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.readerLocked(id); err != nil {
		return err
	}
	if id == 0 {
		return fmt.Errorf("%w: reader 0 is the session's own and cannot be removed", ErrArgument)
	}
	delete(s.readers, id)
	return nil
}

// readerLocked returns the reader with this id.
func (s *Session) readerLocked(id int) (*reader, error) {
	if r, ok := s.readers[id]; ok {
		return r, nil
	}
	return nil, fmt.Errorf("%w: %d in session %s", ErrNoReader, id, s.id)
}

// maxEvents bounds the events kept for readers.
const maxEvents = 256

// An eventLog keeps the latest events and numbers all of them from 0.
type eventLog struct {
	first int64 // the number of the oldest kept
	kept  []emulator.Event
}

// add appends e.
func (l *eventLog) add(e emulator.Event) {
	if len(l.kept) == maxEvents {
		l.kept = l.kept[1:]
		l.first++
	}
	l.kept = append(l.kept, e)
}

// since returns a copy of the events from number n on, and the number after
// the last.
func (l *eventLog) since(n int64) ([]emulator.Event, int64) {
	end := l.first + int64(len(l.kept))
	n = min(max(n, l.first), end)
	return append([]emulator.Event(nil), l.kept[n-l.first:]...), end
}
