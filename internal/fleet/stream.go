package fleet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/share"
)

// Bounds of streams. One that nobody reads holds at most streamWindow bytes at each end.
const (
	streamWindow = 128 << 10
	maxServed    = 256  // streams that a node serves at once
	maxDialed    = 1024 // streams that a member has opened

	// streamChunk bounds the data of one message.
	streamChunk = 32 << 10
	// streamSilence is how long nothing may be heard of the other end, which says every
	// beatEvery how much it has taken.
	streamSilence = 15 * time.Second
	// drainLimit is how long a stream's user may take to read what is left at its end.
	drainLimit = 5 * time.Second
)

// The kinds of a stream's messages. A message is its kind, a number of 8 bytes, and data.
const (
	streamOpen  = 'o' // what the stream is for
	streamData  = 'd' // how many bytes came before these, and the bytes
	streamTaken = 't' // how many bytes were taken
	streamEnd   = 'e' // the reason, "" for none

	// streamHead is how many bytes of a message stand before its data.
	streamHead = 9
)

// The reasons why a stream breaks.
var (
	errStreamSilent = fmt.Errorf("nothing was heard of the other end for %s", streamSilence)
	errStreamGap    = errors.New("messages were lost on the way")
	errStreamFlood  = errors.New("the other end sends what it must not")
	errStreamGone   = errors.New("the other end does not know the stream")
	errStreamRoom   = errors.New("there are too many streams; close some pages or attached terminals")
)

// A stream carries bytes in order between a gateway and a node, both ways. They go through
// a pipe, whose other end has the stream's user. Nothing is sent again: a stream that has
// lost a message breaks, and its user opens another.
type stream struct {
	m     *Member
	to    string // where the other end listens
	reply string // where the other end answers; "" at the node
	node  string // that the other end is; "" at the node
	pipe  net.Conn
	drop  func() // forgets the stream

	accepted chan struct{} // closed when the other end has taken the stream
	done     chan struct{} // closed when the stream has ended

	mu       sync.Mutex // guards what follows
	changed  sync.Cond
	in       [][]byte // that came, and is not yet in the pipe
	received int64    // bytes that came
	given    int64    // bytes that the pipe has taken
	told     int64    // of given, as the other end knows
	sent     int64
	taken    int64 // of sent, by the other end
	heard    time.Time
	answered bool
	over     bool
	err      error // why it is over, nil when the other end's user has closed it
}

// Streams are those that a member has opened, or serves. It is safe for concurrent use.
type streams struct {
	room *share.Table[*stream]

	mu    sync.Mutex // guards what follows
	byKey map[string]*stream
}

// newStreams returns room for so many streams at once. When it is full, whoever has the most
// loses one.
func newStreams(most int) *streams {
	return &streams{room: share.New(most, func(s *stream) { s.end(errStreamRoom, false) }), byKey: map[string]*stream{}}
}

// add keeps a stream until it ends.
func (l *streams) add(key string, s *stream, o share.Owner) {
	s.drop = func() {
		l.room.Remove(s)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.byKey, key)
	}
	l.mu.Lock()
	l.byKey[key] = s
	l.mu.Unlock()
	l.room.Add(s, o) // none is in use as package share has it, so that there is always one that goes
}

// get returns a stream, nil where there is none.
func (l *streams) get(key string) *stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byKey[key]
}

// end ends all streams, as this member leaves.
func (l *streams) end() {
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.byKey))
	l.mu.Unlock()
	for _, s := range all {
		s.end(ErrLeft, false)
	}
}

// newStream returns a stream, and the end of it that its user has.
func (m *Member) newStream(to, reply, node string) (*stream, net.Conn) {
	theirs, ours := net.Pipe()
	s := &stream{m: m, to: to, reply: reply, node: node, pipe: ours, accepted: make(chan struct{}), done: make(chan struct{}), heard: time.Now()}
	s.changed.L = &s.mu
	return s, theirs
}

// begin begins to carry bytes.
func (s *stream) begin() {
	go s.give()
	go s.fetch()
	go s.keep()
}

// fetch sends what the user writes, as far as the other end has room.
func (s *stream) fetch() {
	buf := make([]byte, min(streamChunk, s.m.room()-streamHead))
	for {
		n, err := s.pipe.Read(buf)
		if err != nil {
			s.end(nil, false)
			return
		}
		at, ok := s.reserve(int64(n))
		if !ok {
			return
		}
		if err := s.say(streamData, at, buf[:n]); err != nil {
			s.end(err, false)
			return
		}
	}
}

// reserve waits until the other end has room for n bytes, and returns how many came before
// them.
func (s *stream) reserve(n int64) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && s.sent+n > s.taken+streamWindow {
		s.changed.Wait()
	}
	at = s.sent
	s.sent += n
	return at, !s.over
}

// give gives the user what has come.
func (s *stream) give() {
	for {
		chunk := s.next()
		if chunk == nil {
			_ = s.pipe.Close() // a pipe always closes
			return
		}
		if _, err := s.pipe.Write(chunk); err != nil {
			s.end(nil, false)
			_ = s.pipe.Close()
			return
		}
		if taken, tell := s.gave(len(chunk)); tell {
			s.tell(taken)
		}
	}
}

// next waits for what has come; nil is the end.
func (s *stream) next() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.in) == 0 && !s.over {
		s.changed.Wait()
	}
	if len(s.in) == 0 {
		return nil
	}
	chunk := s.in[0]
	s.in[0] = nil
	s.in = s.in[1:]
	return chunk
}

// gave notes that the user has n more bytes, and reports whether the other end should know.
func (s *stream) gave(n int) (taken int64, tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.given += int64(n)
	if s.given-s.told < streamWindow/2 {
		return 0, false
	}
	s.told = s.given
	return s.given, true
}

// keep tells the other end every now and then what was taken, and ends the stream when
// nothing is heard of it.
func (s *stream) keep() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		s.told = s.given
		taken, silent := s.given, time.Since(s.heard) > streamSilence
		s.mu.Unlock()
		if silent {
			s.end(errStreamSilent, false)
			return
		}
		s.tell(taken)
	}
}

// tell tells the other end how many bytes were taken.
func (s *stream) tell(taken int64) {
	if err := s.say(streamTaken, taken, nil); err != nil {
		s.end(err, false)
	}
}

// say sends a message to the other end.
func (s *stream) say(kind byte, number int64, data []byte) error {
	msg := nats.NewMsg(s.to)
	msg.Reply = s.reply
	msg.Data = streamMessage(kind, number, data)
	return s.m.conn.PublishMsg(msg)
}

// streamMessage returns a message of a stream.
func streamMessage(kind byte, number int64, data []byte) []byte {
	out := make([]byte, streamHead, streamHead+len(data))
	out[0] = kind
	binary.BigEndian.PutUint64(out[1:], uint64(number))
	return append(out, data...)
}

// got takes a message of the other end. It never waits.
func (s *stream) got(msg []byte) {
	if len(msg) < streamHead {
		s.end(errStreamFlood, false)
		return
	}
	number, data := int64(binary.BigEndian.Uint64(msg[1:])), msg[streamHead:]
	if msg[0] == streamEnd {
		var why error
		if len(data) > 0 {
			why = errors.New(string(data[:min(len(data), maxState)]))
		}
		s.end(why, true)
		return
	}
	if err := s.take(msg[0], number, data); err != nil {
		s.end(err, false)
	}
}

// take takes what is not the end. An error breaks the stream.
func (s *stream) take(kind byte, number int64, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	s.heard = time.Now()
	if !s.answered {
		s.answered = true
		close(s.accepted)
	}
	switch kind {
	case streamTaken:
		if number > s.sent {
			return errStreamFlood
		}
		s.taken = max(s.taken, number)
	case streamData:
		if number != s.received {
			return errStreamGap
		}
		s.received += int64(len(data))
		if len(data) == 0 || s.received-s.given > streamWindow {
			return errStreamFlood
		}
		s.in = append(s.in, data)
	default:
		return errStreamFlood
	}
	s.changed.Broadcast()
	return nil
}

// end ends the stream. What came before the other end's user has closed it is still given
// to ours, and otherwise the other end is told.
func (s *stream) end(why error, closed bool) {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	s.over, s.err = true, why
	if !closed || why != nil {
		s.in = nil
	}
	empty := len(s.in) == 0
	s.changed.Broadcast()
	s.mu.Unlock()
	close(s.done)
	s.drop()
	if empty {
		_ = s.pipe.Close()
	} else {
		_ = s.pipe.SetWriteDeadline(time.Now().Add(drainLimit)) // a pipe takes it
	}
	if closed {
		return
	}
	text := ""
	if why != nil {
		text = why.Error()
		s.m.log.Debug("fleet: a stream ends", "to", s.to, "why", why)
	}
	if err := s.say(streamEnd, 0, []byte(text)); err != nil {
		s.m.log.Debug("fleet: a stream's end", "err", err)
	}
}

// reason returns why the stream is over.
func (s *stream) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
