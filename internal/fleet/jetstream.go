package fleet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// requestLimit is how long one request to JetStream may take.
	requestLimit = 3 * time.Second
	// storeLimit is how long a stream may take to store an audit record. Records that are published
	// while the stream's leader changes are lost and must be sent again.
	storeLimit = 10 * time.Second
	// replicas is the number of a cluster's servers that store a stream.
	replicas = 3
	// readQuietLimit is how long NATS may send nothing while a stream is read.
	readQuietLimit = 30 * time.Second
)

// A jetStream makes requests to NATS's JetStream.
type jetStream struct {
	nats.JetStreamContext
	conn *nats.Conn
}

// openStreams creates the streams that this member needs, and the bucket, or updates them.
func (m *Member) openStreams() error {
	err := m.js.open(bucketConfig())
	if m.opt.Audit {
		err = errors.Join(err, m.js.open(auditConfig()))
	}
	if m.opt.Recordings {
		err = errors.Join(err, m.js.open(recordingConfig()))
	}
	return err
}

// open creates a stream if it does not exist. The stream has three replicas, or one while the
// cluster has fewer than three servers; open adds replicas when the cluster has grown. open also
// makes sure that nothing can be removed from the stream. Otherwise, if a node makes NATS send an
// acknowledgement to a subject of the JetStream API, a server older than 2.12, or without strict:
// true, may take it for a request to remove messages.
func (js jetStream) open(config nats.StreamConfig) error {
	large := len(js.conn.Servers()) >= replicas
	info, err := js.StreamInfo(config.Name)
	switch {
	case errors.Is(err, nats.ErrStreamNotFound):
		config.DenyDelete, config.DenyPurge, config.Replicas = true, true, replicas
		if _, err = js.AddStream(&config); err != nil && !large {
			config.Replicas = 1
			_, err = js.AddStream(&config)
		}
	case err == nil:
		now := info.Config
		now.DenyDelete, now.DenyPurge, now.Subjects = true, true, config.Subjects
		if large {
			now.Replicas = max(now.Replicas, replicas)
		}
		if !reflect.DeepEqual(now, info.Config) {
			_, err = js.UpdateStream(&now)
		}
		if n := now.MaxMsgsPerSubject; err == nil && config.MaxMsgsPerSubject == 1 && n != 1 {
			return fmt.Errorf("the stream %s keeps %d messages of a subject, but must keep 1; run nats stream edit %[1]s --max-msgs-per-subject 1", config.Name, n)
		}
	}
	return js.fault(config.Name, err)
}

// fault returns the error for a stream that cannot be used because of err: nil if err is nil,
// ErrNoConnection without a connection, otherwise one that says what the stream stores and which flag needs it.
func (js jetStream) fault(stream string, err error) error {
	switch {
	case err == nil:
		return nil
	case !js.conn.IsConnected():
		return ErrNoConnection
	}
	keeps := "keeps no"
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) {
		keeps = "does not answer, or keeps no"
	}
	what, flag := "records", "--gateway"
	switch stream {
	case auditStreamName:
		what, flag = "audit records", "--audit-log"
	case recordingStreamName:
		what, flag = "recordings", "--fleet-recordings"
	}
	return fmt.Errorf("the NATS server %s %s (it needs JetStream, and a gateway with %s that creates the stream %s): %w", keeps, what, flag, stream, err)
}

// streamNames returns the names of all streams of a fleet.
func streamNames() []string { return []string{"KV_" + bucket, recordingStreamName, auditStreamName} }

// checkStreams makes the recorder open the streams again.
func (m *Member) checkStreams() {
	select {
	case m.check <- struct{}{}:
	default:
	}
}

// wrongLastNumber reports whether err means that the last message on a subject does not have the
// expected number. number is the last message's real number, or 0 if there is no message.
func wrongLastNumber(err error) (number uint64, ok bool) {
	refused := (*nats.APIError)(nil)
	if !errors.As(err, &refused) || refused.ErrorCode != nats.JSErrCodeStreamWrongLastSequence {
		return 0, false
	}
	_, digits, _ := strings.Cut(refused.Description, ": ")
	number, err = strconv.ParseUint(digits, 10, 64)
	return number, err == nil
}

// has reports whether a stream has a message on one of this member's subjects. A node has no right to
// ask for this. So has publishes a message that says which number the last message must have, and gives
// an impossible one. The stream must refuse it, and the error contains the real number, or 0 for none.
func (js jetStream) has(stream, subject string) (bool, error) {
	_, err := js.Publish(subject, nil, nats.ExpectStream(stream), nats.ExpectLastSequencePerSubject(math.MaxInt64))
	if err == nil {
		return false, fmt.Errorf("the stream %s accepted a message that it had to refuse", stream)
	}
	if n, refused := wrongLastNumber(err); refused {
		return n > 0, nil
	}
	return false, js.fault(stream, err)
}

// read calls each for the messages in a stream that match a filter. It returns when it has read all
// of them that are not removed meanwhile, or when each returns an error. It fails if NATS sends
// nothing for readQuietLimit.
func (js jetStream) read(ctx context.Context, stream, filter string, each func(*nats.Msg, *nats.MsgMetadata) error) (err error) {
	sub, err := js.SubscribeSync(filter, nats.OrderedConsumer(), nats.BindStream(stream))
	if err != nil {
		return js.fault(stream, err)
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

// nextMessage returns the message after the one that last describes, or nil if none is left.
func nextMessage(ctx context.Context, sub *nats.Subscription, last *nats.MsgMetadata) (*nats.Msg, error) {
	for began := time.Now(); time.Since(began) < readQuietLimit; {
		wait, cancel := context.WithTimeout(ctx, requestLimit)
		msg, err := sub.NextMsgWithContext(wait)
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return msg, err
		}
		info, err := sub.ConsumerInfo()
		if err != nil {
			continue // nats.go is creating the consumer again
		}
		received := last.Sequence.Consumer
		if last.Consumer != info.Name {
			received = 0
		}
		if info.NumPending == 0 && info.Delivered.Consumer <= received {
			return nil, nil
		}
	}
	return nil, fmt.Errorf("NATS has sent nothing for %v; try again", readQuietLimit)
}
