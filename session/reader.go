package session

import (
	"context"
	"fmt"
)

// maxReaders bounds the readers of one session.
const maxReaders = 64

// A reader is a cursor into what a session has shown. Its zero value stands at
// the oldest output.
type reader struct {
	line   int64  // the first line of the transcript not given, or given in part
	given  string // what was given of that line, as it stood then
	begun  int    // the cell of given, plus one, from which on it may become a secret; 0: none
	before int64  // bytes of text up to there, to tell how much was lost

	raw    int64  // the first raw byte not given
	screen uint64 // the revision of the last screen given
	event  int64  // the number of the next event
	notice int64  // the number of the next notice

	title, cwd, foreground string // as last told
	prompt                 string // the same

	guessed uint64 // the revision of the last reply that was a guess
	guesses int    // how many replies in a row were that guess

	looker string // whose it is that may only look, see WithLooker; "" is anybody's

	call   string  // the call that moved it last, see WithCall
	origin *reader // where it stood before that call; nil when not known
}

// maxLookers bounds the readers of those who may only look, of one session: the
// others are for who does the work.
const maxLookers = maxReaders / 4

// AddReader registers a reader that starts at the oldest kept output.
func (s *Session) AddReader(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	looker, looking := lookerOf(ctx), 0
	for _, r := range s.readers {
		if r.looker != "" {
			looking++
		}
	}
	switch {
	case len(s.readers) >= maxReaders:
		return 0, fmt.Errorf("%w: session %s has %d readers, the most there may be", ErrTooMany, s.id, len(s.readers))
	case looker != "" && looking >= maxLookers:
		return 0, fmt.Errorf("%w: session %s has %d readers of clients that may only look, the most there may be; snapshot, and read_output without a reader_id, need none", ErrTooMany, s.id, looking)
	}
	s.nextReader++
	first := s.term.FirstLine()
	s.readers[s.nextReader] = &reader{
		line: first, before: s.term.TextBefore(first), looker: looker,
		raw: s.raw.first(), event: s.events.first, notice: s.notices.end(),
	}
	return s.nextReader, nil
}

// RemoveReader unregisters a reader; reader 0 cannot go, and who may only look
// removes his own.
func (s *Session) RemoveReader(ctx context.Context, id int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.readerLocked(id)
	if err != nil {
		return err
	}
	if id == 0 {
		return fmt.Errorf("%w: reader 0 is the session's own and cannot be removed", ErrArgument)
	}
	if !r.moves(ctx) {
		return fmt.Errorf("%w: reader %d of session %s is another client's, and this one may only look", ErrArgument, id, s.id)
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

// maxNumbered bounds what a numbered list keeps for readers.
const maxNumbered = 256

// A numbered list keeps the latest of what every reader is told once, and
// numbers all of it from 0.
type numbered[T any] struct {
	first int64 // the number of the oldest kept
	kept  []T
}

// add appends e.
func (l *numbered[T]) add(e T) {
	if len(l.kept) == maxNumbered {
		l.kept = l.kept[1:]
		l.first++
	}
	l.kept = append(l.kept, e)
}

// end returns the number after the last.
func (l *numbered[T]) end() int64 { return l.first + int64(len(l.kept)) }

// since returns a copy of what there is from number n on, and the number after
// the last.
func (l *numbered[T]) since(n int64) ([]T, int64) {
	n = min(max(n, l.first), l.end())
	return append([]T(nil), l.kept[n-l.first:]...), l.end()
}
