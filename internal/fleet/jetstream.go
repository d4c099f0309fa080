package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// streamLimit is how long one request to JetStream may take.
	streamLimit = 3 * time.Second
	// keepLimit is how long a stream may take to store an audit record. Records published
	// while the stream's leader changes are lost, and must be sent again.
	keepLimit = 10 * time.Second
	// maxCopies is the number of servers in a cluster that keep a stream.
	maxCopies = 3
	// streamQuiet is how long NATS may send nothing of a stream that is being read.
	streamQuiet = 30 * time.Second
	// streamsPause is the time between two attempts of keepStreams.
	streamsPause = 5 * time.Second
)

// makesStreams reports whether this member creates missing streams: a server
// (Options.Patient) with a gateway's rights does.
func (m *Member) makesStreams() bool { return m.opt.Patient && m.Rights() == nil }

// openStream returns the state of a stream. A member that makesStreams creates it if there is
// none, with maxCopies replicas, or with one if the cluster has fewer servers, and adds replicas
// when the cluster has grown. It also makes sure that nothing can be removed from the stream:
// a NATS server that is older than 2.12 or runs without strict: true takes its own acknowledgement
// on a subject of its API for a request to remove messages. openStream returns nil if this member
// may not ask for the state.
func (m *Member) openStream(config nats.StreamConfig) (*nats.StreamInfo, error) {
	if m.Rights() != nil {
		return nil, nil
	}
	m.mu.Lock()
	m.wanted[config.Name] = config
	m.mu.Unlock()
	if !m.conn.IsConnected() {
		return nil, ErrNoConnection
	}
	info, err := m.js.StreamInfo(config.Name)
	if m.makesStreams() {
		switch enough := len(m.conn.Servers()) >= maxCopies; {
		case errors.Is(err, nats.ErrStreamNotFound):
			config.DenyDelete, config.DenyPurge, config.Replicas = true, true, maxCopies
			if info, err = m.js.AddStream(&config); err != nil && !enough {
				config.Replicas = 1
				info, err = m.js.AddStream(&config)
			}
		case err == nil:
			now := info.Config
			now.DenyDelete, now.DenyPurge, now.Subjects = true, true, config.Subjects
			if enough {
				now.Replicas = max(now.Replicas, maxCopies)
			}
			if !reflect.DeepEqual(now, info.Config) {
				info, err = m.js.UpdateStream(&now)
			}
		}
	}
	if err != nil && !m.conn.IsConnected() {
		return nil, ErrNoConnection
	}
	return info, noStream(config.Name, err)
}

// noStream returns the error for a stream that cannot be used because of err; nil if err is
// nil, and ErrNoConnection unchanged. It names what the stream stores and the flag that needs it.
func noStream(stream string, err error) error {
	if err == nil || errors.Is(err, ErrNoConnection) {
		return err
	}
	keeps := "keeps no"
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		keeps = "does not answer, or keeps no"
	}
	what, flag := "records", "--gateway"
	switch stream {
	case audits:
		what, flag = "audit records", "--audit-log"
	case recordings:
		what, flag = "recordings", "--fleet-recordings"
	}
	return fmt.Errorf("the NATS server %s %s (it needs JetStream, and a gateway with %s that creates the stream %s): %w", keeps, what, flag, stream, err)
}

// streamNames returns the names of all streams of a fleet.
func streamNames() []string { return []string{"KV_" + bucket, recordings, audits} }

// keepStreams opens the streams again that this member has opened or tried to open, because NATS
// may have lost them or its cluster may have grown. After each call of checkStreams, it tries until
// it succeeds, because a server that has just joined the cluster may not be ready.
func (m *Member) keepStreams() {
	var retry <-chan time.Time
	for {
		select {
		case <-m.ctx.Done():
			return
		case <-m.check:
		case <-retry:
		}
		retry = nil
		if !m.makesStreams() {
			continue
		}
		m.mu.Lock()
		wanted := maps.Clone(m.wanted)
		m.mu.Unlock()
		for name, config := range wanted {
			if _, err := m.openStream(config); err != nil {
				m.log.Debug("fleet: open again", "stream", name, "err", err)
				retry = time.After(streamsPause)
			}
		}
	}
}

// checkStreams makes keepStreams open the streams again.
func (m *Member) checkStreams() {
	select {
	case m.check <- struct{}{}:
	default:
	}
}

// placeTaken reports whether err means that the last message on a subject is not the
// expected one, and returns the number of that message, 0 if there is none.
func placeTaken(err error) (number uint64, ok bool) {
	refused := (*nats.APIError)(nil)
	if !errors.As(err, &refused) || refused.ErrorCode != nats.JSErrCodeStreamWrongLastSequence {
		return 0, false
	}
	_, digits, _ := strings.Cut(refused.Description, ": ")
	number, err = strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// has reports whether a stream has a message on one of this member's own subjects. A node has no
// right to ask for that. So has publishes a message that the stream must refuse because it expects
// an impossible number; the error then contains the number of the last message, 0 if there is none.
func (m *Member) has(stream, subject string) (bool, error) {
	_, err := m.js.Publish(subject, nil, nats.ExpectStream(stream), nats.ExpectLastSequencePerSubject(math.MaxInt64))
	if err == nil {
		return false, fmt.Errorf("the stream %s accepted a message that it had to refuse", stream)
	}
	if n, refused := placeTaken(err); refused {
		return n > 0, nil
	}
	if !m.conn.IsConnected() {
		err = ErrNoConnection
	}
	return false, err
}

// readStream calls each for the messages that are now in a stream and match a filter. It returns
// when there are no more, even if some were removed while it read, and fails if NATS sends nothing
// for streamQuiet.
func (m *Member) readStream(ctx context.Context, stream, filter string, each func(*nats.Msg, *nats.MsgMetadata) error) (err error) {
	sub, err := m.js.SubscribeSync(filter, nats.OrderedConsumer(), nats.BindStream(stream))
	if err != nil {
		return noStream(stream, err)
	}
	defer func() { err = errors.Join(err, sub.Unsubscribe()) }()
	left, err := sub.InitialConsumerPending()
	last := new(nats.MsgMetadata)
	for left > 0 && err == nil {
		msg, err := nextMessage(ctx, sub, last)
		if err != nil {
			return fmt.Errorf("the stream %s: %w", stream, err)
		}
		if msg == nil {
			return nil
		}
		if last, err = msg.Metadata(); err != nil {
			return err
		}
		left = last.NumPending
		if err := each(msg, last); err != nil {
			return err
		}
	}
	return err
}

// nextMessage returns the message of a stream that follows the last one, or nil if none is left.
func nextMessage(ctx context.Context, sub *nats.Subscription, last *nats.MsgMetadata) (*nats.Msg, error) {
	for began := time.Now(); time.Since(began) < streamQuiet; {
		wait, cancel := context.WithTimeout(ctx, streamLimit)
		msg, err := sub.NextMsgWithContext(wait)
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return msg, err
		}
		info, err := sub.ConsumerInfo()
		if err != nil {
			continue // the subscription is being made again
		}
		received := last.Sequence.Consumer
		if last.Consumer != info.Name {
			received = 0
		}
		if info.NumPending == 0 && info.Delivered.Consumer <= received {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("NATS has sent nothing for %v; try again", streamQuiet)
}
