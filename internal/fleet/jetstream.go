package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// streamLimit is how long one request to JetStream may take.
	streamLimit = 3 * time.Second
	// maxCopies is how many servers of a cluster keep a stream.
	maxCopies = 3
	// copiesPause is the time between two tries to add copies.
	copiesPause = 5 * time.Second
)

// openStream returns the state of a stream. If there is none, a server (Options.Patient)
// makes it. An error names the content and the flag that needs it.
func (m *Member) openStream(what, flag string, config nats.StreamConfig) (*nats.StreamInfo, error) {
	if !m.conn.IsConnected() {
		return nil, ErrNoConnection
	}
	info, err := m.js.StreamInfo(config.Name)
	if errors.Is(err, nats.ErrStreamNotFound) && m.opt.Patient {
		info, err = m.makeStream(config)
	}
	if err != nil && !m.conn.IsConnected() {
		return nil, ErrNoConnection
	}
	if err != nil {
		return nil, fmt.Errorf("the NATS server keeps no %s (it needs JetStream, and a gateway with %s to make the stream %s): %w", what, flag, config.Name, err)
	}
	return info, nil
}

// makeStream makes a stream with maxCopies copies, or with one if NATS has fewer servers. It
// returns the error if one of enough servers is away: the caller tries again later.
func (m *Member) makeStream(config nats.StreamConfig) (*nats.StreamInfo, error) {
	config.Replicas = maxCopies
	info, err := m.js.AddStream(&config)
	if err == nil || len(m.conn.Servers()) >= maxCopies {
		return info, err
	}
	config.Replicas = 1
	if one, oneErr := m.js.AddStream(&config); oneErr == nil {
		return one, nil
	}
	return nil, err
}

// streamNames returns the names of all streams of a fleet.
func streamNames() []string { return []string{"KV_" + bucket, recordings, audits} }

// keepCopies raises streams that were made in a smaller cluster to maxCopies copies. It
// tries again, because a server that has just joined may not be ready.
func (m *Member) keepCopies() {
	<-m.ready
	if !m.copying.TryLock() {
		return
	}
	defer m.copying.Unlock()
	for !m.addCopies() {
		select {
		case <-m.ctx.Done():
			return
		case <-time.After(copiesPause):
		}
	}
}

// addCopies makes one try of keepCopies, and reports whether nothing is left to do. A
// member without a gateway's rights leaves it to others.
func (m *Member) addCopies() (done bool) {
	done = true
	for _, name := range streamNames() {
		if !m.opt.Patient || len(m.conn.Servers()) < maxCopies || m.rights() != nil {
			return true
		}
		info, err := m.js.StreamInfo(name)
		if err == nil && info.Config.Replicas < maxCopies {
			info.Config.Replicas = maxCopies
			_, err = m.js.UpdateStream(&info.Config)
		}
		if err != nil && !errors.Is(err, nats.ErrStreamNotFound) {
			m.log.Debug("fleet: copies", "stream", name, "err", err)
			done = false
		}
	}
	return done
}

// placeTaken reports whether an error says that the subject of a message has another last
// message than the expected one, and returns NATS's text.
func placeTaken(err error) (said string, ok bool) {
	refused := (*nats.APIError)(nil)
	if !errors.As(err, &refused) || refused.ErrorCode != nats.JSErrCodeStreamWrongLastSequence {
		return "", false
	}
	return refused.Description, true
}

// subjects calls each for the subjects in a stream that fit a filter.
func (m *Member) subjects(stream, filter string, each func(subject string)) error {
	info, err := m.js.StreamInfo(stream, &nats.StreamInfoRequest{SubjectsFilter: filter})
	if err != nil {
		return fmt.Errorf("the stream %s: %w", stream, err)
	}
	for subject := range info.State.Subjects {
		each(subject)
	}
	return nil
}

// readStream calls each for the messages of a stream that fit a filter and are there now.
func (m *Member) readStream(ctx context.Context, stream, filter string, each func(*nats.Msg, *nats.MsgMetadata) error) (err error) {
	sub, err := m.js.SubscribeSync(filter, nats.OrderedConsumer(), nats.BindStream(stream))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sub.Unsubscribe()) }()
	left, err := sub.InitialConsumerPending()
	for left > 0 && err == nil {
		var msg *nats.Msg
		if msg, err = sub.NextMsgWithContext(ctx); err != nil {
			break
		}
		var about *nats.MsgMetadata
		if about, err = msg.Metadata(); err == nil {
			left, err = about.NumPending, each(msg, about)
		}
	}
	return err
}
