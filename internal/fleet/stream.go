package fleet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/glasstty/glasstty/internal/share"
)

// Limits on streams.
const (
	streamWindow = 128 << 10 // bytes that an end may send before the other end's user has taken them
	maxServed    = 256       // streams that a node serves at once
	maxDialed    = 1024      // streams that a member has opened

	// streamChunk is the maximum size of the data in a message that is sent, in bytes.
	streamChunk = 32 << 10
	// A stream breaks if nothing is received from the other end for streamSilence. So each end reports
	// at intervals of beatEvery how many bytes its user has taken.
	streamSilence = 15 * time.Second
	// drainLimit is the time that a stream's user has to read the rest after the other end
	// has closed the stream.
	drainLimit = 5 * time.Second
)

// The kinds of stream messages. A message consists of its kind, an 8-byte number, and data.
const (
	streamOpen  = 'o' // data: the hello of Dial
	streamData  = 'd' // number: how many bytes were sent before; data: the next bytes
	streamTaken = 't' // number: how many bytes the user has taken
	streamEnd   = 'e' // data: the reason, empty if the user closed the stream

	// streamHead is the length of a message's kind and number.
	streamHead = 9
)

// The reasons why a stream breaks.
var (
	errStreamSilent   = fmt.Errorf("nothing was received from the other end for %s", streamSilence)
	errStreamGap      = errors.New("messages were lost, repeated or reordered on the way")
	errStreamInvalid  = errors.New("the other end sent an invalid message")
	errStreamUnknown  = errors.New("the other end does not know the stream")
	errTooManyStreams = errors.New("too many streams are open; close some pages or attached terminals")
)

// A stream carries bytes in order between a gateway and a node, both ways. The stream's
// user has the other end of pipe. Nothing is sent again: a stream that has lost a message
// breaks, and its user must open another.
type stream struct {
	m      *Member
	to     string // subject on which the other end listens
	reply  string // subject on which the other end replies; "" at the node
	node   string // name of the other end; "" at the node
	pipe   net.Conn
	remove func() // removes the stream from its table, and its reply handler

	accept   func()        // closes accepted, once
	accepted chan struct{} // closed when the other end has accepted the stream
	done     chan struct{} // closed when the stream has ended

	mu        sync.Mutex // guards what follows
	changed   sync.Cond  // signals received data, room at the other end, and the end of the stream
	queue     [][]byte   // received data that is not yet written to the pipe
	received  int64      // bytes received
	delivered int64      // bytes written to the pipe
	reported  int64      // the value of delivered last reported to the other end
	sent      int64      // bytes sent
	taken     int64      // bytes of sent that the other end has reported as taken
	heard     time.Time  // when the other end last sent something
	over      bool       // the stream has ended
	err       error      // why the stream has ended; nil if a user has closed it
}

// streams are the streams that a member has opened, or those that it serves.
type streams = share.Table[string, *stream]

// newStreams returns a table of at most limit streams. When a stream is added to a full table, the
// owner with the most streams loses one.
func newStreams(limit int) *streams {
	return share.New(limit, func(_ string, s *stream) { s.end(errTooManyStreams, false) })
}

// endAll ends all streams with ErrLeft.
func endAll(l *streams) {
	for _, s := range l.All() {
		s.end(ErrLeft, false)
	}
}

// newStream adds a stream to l, and returns the stream and its user's end of the pipe. A stream that
// ends is removed from l. Adding cannot fail: streams are never marked as busy, so share.Table can
// always remove one.
func (m *Member) newStream(l *streams, key string, o share.Owner, to, reply, node string) (*stream, net.Conn) {
	theirs, ours := net.Pipe()
	s := &stream{m: m, to: to, reply: reply, node: node, pipe: ours, accepted: make(chan struct{}), done: make(chan struct{}), heard: time.Now()}
	s.changed.L = &s.mu
	s.accept = sync.OnceFunc(func() { close(s.accepted) })
	s.remove = func() {
		l.Remove(key)
		m.replyHandlers.Delete(key)
	}
	if node != "" {
		m.replyHandlers.Store(key, replyHandler(s.handle))
	}
	l.Add(key, s, o)
	return s, theirs
}

func (s *stream) start() {
	go s.deliverLoop()
	go s.sendLoop()
	go s.heartbeatLoop()
}

// sendLoop sends the user's data whenever the other end has room for it.
func (s *stream) sendLoop() {
	buf := make([]byte, min(streamChunk, s.m.maxData()-streamHead))
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
		if err := s.send(streamData, at, buf[:n]); err != nil {
			s.end(err, false)
			return
		}
	}
}

// reserve waits until the other end has room for n bytes, counts these bytes as sent, and returns the
// number of bytes sent before them. ok is false if the stream has ended.
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

// deliverLoop writes received data to the pipe, and closes the pipe at the end of the stream.
func (s *stream) deliverLoop() {
	for {
		chunk := s.nextChunk()
		if chunk == nil {
			_ = s.pipe.Close() // cannot fail for a net.Pipe
			return
		}
		if _, err := s.pipe.Write(chunk); err != nil {
			s.end(nil, false)
			_ = s.pipe.Close()
			return
		}
		if taken, report := s.countDelivered(len(chunk)); report {
			s.reportTaken(taken)
		}
	}
}

// nextChunk waits for received data and returns it, or nil at the end of the stream.
func (s *stream) nextChunk() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && !s.over {
		s.changed.Wait()
	}
	if len(s.queue) == 0 {
		return nil
	}
	chunk := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	return chunk
}

// countDelivered counts n more bytes that the user has taken. If the new total must be reported to
// the other end now, it returns the total and true.
func (s *stream) countDelivered(n int) (taken int64, report bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.delivered += int64(n)
	if s.delivered-s.reported < streamWindow/2 {
		return 0, false
	}
	s.reported = s.delivered
	return s.delivered, true
}

// heartbeatLoop reports every beatEvery to the other end how many bytes were taken, and ends the
// stream if nothing is received for streamSilence.
func (s *stream) heartbeatLoop() {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		s.reported = s.delivered
		taken, silent := s.delivered, time.Since(s.heard) > streamSilence
		s.mu.Unlock()
		if silent {
			s.end(errStreamSilent, false)
			return
		}
		s.reportTaken(taken)
	}
}

// reportTaken reports to the other end how many bytes were taken.
func (s *stream) reportTaken(taken int64) {
	if err := s.send(streamTaken, taken, nil); err != nil {
		s.end(err, false)
	}
}

func (s *stream) send(kind byte, number int64, data []byte) error {
	msg := nats.NewMsg(s.to)
	msg.Reply = s.reply
	msg.Data = streamMessage(kind, number, data)
	return s.m.conn.PublishMsg(msg)
}

func streamMessage(kind byte, number int64, data []byte) []byte {
	out := make([]byte, streamHead, streamHead+len(data))
	out[0] = kind
	binary.BigEndian.PutUint64(out[1:], uint64(number))
	return append(out, data...)
}

// receive handles a message from the other end. It never waits.
func (s *stream) receive(msg []byte) {
	if len(msg) < streamHead {
		s.end(errStreamInvalid, false)
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
	if err := s.apply(msg[0], number, data); err != nil {
		s.end(err, false)
	}
}

// apply handles a message that is not streamEnd. After an error, the stream must end.
func (s *stream) apply(kind byte, number int64, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil
	}
	s.heard = time.Now()
	s.accept()
	switch kind {
	case streamTaken:
		if number > s.sent {
			return errStreamInvalid
		}
		s.taken = max(s.taken, number)
	case streamData:
		if number != s.received {
			return errStreamGap
		}
		s.received += int64(len(data))
		if len(data) == 0 || s.received-s.delivered > streamWindow {
			return errStreamInvalid
		}
		s.queue = append(s.queue, data)
	default:
		return errStreamInvalid
	}
	s.changed.Broadcast()
	return nil
}

// end ends the stream for the reason why, which is nil if a user has closed it. If remote is true,
// the other end has ended the stream or cannot be reached; otherwise end informs the other end.
// If the other end's user has closed the stream, data that arrived before is still delivered.
func (s *stream) end(why error, remote bool) {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return
	}
	s.over, s.err = true, why
	if !remote || why != nil {
		s.queue = nil
	}
	empty := len(s.queue) == 0
	s.changed.Broadcast()
	s.mu.Unlock()
	close(s.done)
	s.remove()
	if empty {
		_ = s.pipe.Close()
	} else {
		_ = s.pipe.SetWriteDeadline(time.Now().Add(drainLimit)) // cannot fail for a net.Pipe
	}
	if remote {
		return
	}
	text := ""
	if why != nil {
		text = why.Error()
		s.m.log.Debug("fleet: a stream ends", "to", s.to, "why", why)
	}
	if err := s.send(streamEnd, 0, []byte(text)); err != nil {
		s.m.log.Debug("fleet: a stream's end", "err", err)
	}
}

func (s *stream) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
