package httpserve

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxStreams is the number of streams of one MCP session that are kept for resuming. Each
// request has one stream.
const maxStreams = 64

// An eventStore keeps the events that were sent on the streams of MCP sessions, so that a
// client can resume a stream after its connection was lost. The SDK's own store keeps every
// stream, one for each call, until the session ends. It is safe for concurrent use.
type eventStore struct {
	max int // limit on size

	mu       sync.Mutex // guards the fields below
	sessions map[string]*sessionEvents
	size     int    // bytes of all events
	clock    uint64 // number of appends, to find the oldest event
}

// sessionEvents contains the streams of one MCP session.
type sessionEvents struct {
	streams map[string]*streamEvents
	order   []string // stream ids except the standalone stream's, oldest first
}

// streamEvents contains the last events of one stream. first is the index of the first one.
type streamEvents struct {
	ex     *exchange // the request that the stream answers; nil for the standalone stream
	first  int
	events []event
}

// An event is a message that was sent.
type event struct {
	data []byte
	at   uint64 // eventStore.clock when the event was appended
}

func newEventStore(limit int) *eventStore {
	return &eventStore{max: limit, sessions: map[string]*sessionEvents{}}
}

var _ mcp.EventStore = (*eventStore)(nil)

// Open adds a stream. If the session has maxStreams, it drops the oldest one. The standalone
// stream, whose id is empty, is never dropped.
func (s *eventStore) Open(ctx context.Context, sessionID, streamID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[sessionID]
	if sess == nil {
		sess = &sessionEvents{streams: map[string]*streamEvents{}}
		s.sessions[sessionID] = sess
	}
	stream := &streamEvents{}
	if streamID != "" {
		if stream.ex = exchangeOf(ctx); stream.ex != nil {
			stream.ex.opened()
		}
		if len(sess.order) >= maxStreams {
			s.dropLocked(sess, sess.order[0])
		}
		sess.order = append(sess.order, streamID)
	}
	sess.streams[streamID] = stream
	return nil
}

// dropLocked forgets a stream.
func (s *eventStore) dropLocked(sess *sessionEvents, streamID string) {
	for _, e := range sess.streams[streamID].events {
		s.size -= len(e.data)
	}
	if ex := sess.streams[streamID].ex; ex != nil {
		ex.responded() // Append would not notice the answer
	}
	delete(sess.streams, streamID)
	sess.order = slices.DeleteFunc(sess.order, func(id string) bool { return id == streamID })
}

// Append adds an event to a stream. It ignores streams that were dropped, because no client can
// resume them.
func (s *eventStore) Append(_ context.Context, sessionID, streamID string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[sessionID]
	if sess == nil || sess.streams[streamID] == nil {
		return nil
	}
	stream := sess.streams[streamID]
	if stream.ex != nil {
		stream.ex.sent()
		if isResponse(data) {
			stream.ex.responded()
		}
	}
	s.clock++
	stream.events = append(stream.events, event{data, s.clock})
	s.size += len(data)
	for s.size > s.max {
		s.purgeLocked()
	}
	return nil
}

// isResponse reports whether data is a JSON-RPC response. The SDK also appends empty events.
func isResponse(data []byte) bool {
	msg, err := jsonrpc.DecodeMessage(data)
	_, ok := msg.(*jsonrpc.Response)
	return err == nil && ok
}

// purgeLocked drops the oldest event of all streams.
func (s *eventStore) purgeLocked() {
	var oldest *streamEvents
	for _, sess := range s.sessions {
		for _, stream := range sess.streams {
			if len(stream.events) > 0 && (oldest == nil || stream.events[0].at < oldest.events[0].at) {
				oldest = stream
			}
		}
	}
	s.size -= len(oldest.events[0].data)
	oldest.events = slices.Delete(oldest.events, 0, 1)
	oldest.first++
}

// After returns the events of a stream after an index, or an error if some were purged.
func (s *eventStore) After(_ context.Context, sessionID, streamID string, index int) iter.Seq2[[]byte, error] {
	events, err := s.after(sessionID, streamID, index)
	return func(yield func([]byte, error) bool) {
		if err != nil {
			yield(nil, err)
			return
		}
		for _, e := range events {
			if !yield(e.data, nil) {
				return
			}
		}
	}
}

func (s *eventStore) after(sessionID, streamID string, index int) ([]event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stream := s.streamLocked(sessionID, streamID)
	switch {
	case stream == nil:
		return nil, fmt.Errorf("stream %q is no longer kept", clip(streamID))
	case index+1 < stream.first:
		return nil, fmt.Errorf("stream %q: %w", clip(streamID), mcp.ErrEventsPurged)
	case index+1-stream.first >= len(stream.events):
		return nil, nil
	}
	return slices.Clone(stream.events[index+1-stream.first:]), nil
}

// streamLocked returns a stream, or nil if it is not known.
func (s *eventStore) streamLocked(sessionID, streamID string) *streamEvents {
	if sess := s.sessions[sessionID]; sess != nil {
		return sess.streams[streamID]
	}
	return nil
}

// SessionClosed forgets a session.
func (s *eventStore) SessionClosed(_ context.Context, sessionID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sess := s.sessions[sessionID]; sess != nil {
		for id := range sess.streams {
			s.dropLocked(sess, id)
		}
		delete(s.sessions, sessionID)
	}
	return nil
}

// exchange returns the exchange whose stream a client resumes with lastEventID, or nil. The
// SDK's event ids have the form STREAM_INDEX.
func (s *eventStore) exchange(sessionID, lastEventID string) *exchange {
	streamID, _, _ := strings.Cut(lastEventID, "_")
	s.mu.Lock()
	defer s.mu.Unlock()
	if stream := s.streamLocked(sessionID, streamID); stream != nil {
		return stream.ex
	}
	return nil
}
