package httpserve

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxStreams is the number of streams of one MCP session that are kept, so that clients can resume
// them. Each request has one stream.
const maxStreams = 64

// An eventStore keeps the events that were sent on the streams of MCP sessions, so that a client
// can resume a stream after its connection was lost. The SDK's store can drop only whole sessions.
// So each stream is a separate session in the SDK's store; otherwise the streams of all calls would
// stay until their session ends. An eventStore is safe for concurrent use.
type eventStore struct {
	events *mcp.MemoryEventStore // by streamKey

	// mu guards sessions. It is also locked while an event is appended: otherwise the event could
	// recreate a stream that has just been dropped.
	mu       sync.Mutex
	sessions map[string][]eventStream // by MCP session, oldest first
}

// An eventStream is a stream that answers a request.
type eventStream struct {
	id string
	ex *exchange // of the request
}

// newEventStore returns an empty eventStore that keeps about limit bytes.
func newEventStore(limit int) *eventStore {
	s := &eventStore{events: mcp.NewMemoryEventStore(nil), sessions: map[string][]eventStream{}}
	s.events.SetMaxBytes(limit)
	return s
}

// streamKey returns the ID of the session that represents a stream in the SDK's store.
func streamKey(sessionID, streamID string) string { return sessionID + "/" + streamID }

// Open adds a stream. If the session has maxStreams already, Open drops the oldest one. It never drops
// the session's standalone stream, which answers no request and whose id is empty.
func (s *eventStore) Open(ctx context.Context, sessionID, streamID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	streams := s.sessions[sessionID]
	if streamID != "" {
		if len(streams) >= maxStreams {
			if err := s.events.SessionClosed(ctx, streamKey(sessionID, streams[0].id)); err != nil {
				return err
			}
			streams = slices.Delete(streams, 0, 1)
		}
		streams = append(streams, eventStream{streamID, exchangeOf(ctx)})
	}
	s.sessions[sessionID] = streams
	return s.events.Open(ctx, streamKey(sessionID, streamID), streamID)
}

// findLocked returns the request that a stream answers, which is nil for the standalone stream,
// and whether the stream is kept.
func (s *eventStore) findLocked(sessionID, streamID string) (ex *exchange, ok bool) {
	streams, ok := s.sessions[sessionID]
	if streamID == "" {
		return nil, ok
	}
	i := slices.IndexFunc(streams, func(t eventStream) bool { return t.id == streamID })
	if i < 0 {
		return nil, false
	}
	return streams[i].ex, true
}

// Append adds an event to a stream. It ignores streams that were dropped, because no client can
// resume them.
func (s *eventStore) Append(ctx context.Context, sessionID, streamID string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	ex, ok := s.findLocked(sessionID, streamID)
	if !ok {
		return nil
	}
	if ex != nil {
		ex.markResumable()
	}
	return s.events.Append(ctx, streamKey(sessionID, streamID), streamID, data)
}

// After returns the events of a stream after an index, or an error if some were dropped to save memory.
func (s *eventStore) After(ctx context.Context, sessionID, streamID string, index int) iter.Seq2[[]byte, error] {
	return s.events.After(ctx, streamKey(sessionID, streamID), streamID, index)
}

// SessionClosed forgets a session.
func (s *eventStore) SessionClosed(ctx context.Context, sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.events.SessionClosed(ctx, streamKey(sessionID, ""))
	for _, stream := range s.sessions[sessionID] {
		err = errors.Join(err, s.events.SessionClosed(ctx, streamKey(sessionID, stream.id)))
	}
	delete(s.sessions, sessionID)
	return err
}

// exchange returns the exchange whose stream a client resumes with lastEventID, or nil if there is
// none. The SDK's ids of events have the form STREAM_INDEX.
func (s *eventStore) exchange(sessionID, lastEventID string) *exchange {
	streamID, _, _ := strings.Cut(lastEventID, "_")
	s.mu.Lock()
	defer s.mu.Unlock()
	ex, _ := s.findLocked(sessionID, streamID)
	return ex
}
