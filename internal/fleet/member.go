package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A Handler makes a call: it gets the call's bytes, may report progress, and returns the
// answer. Its context ends when the caller cancels the call, or the member leaves. The answer
// is nil for a call that was cancelled and may be made again.
type Handler func(ctx context.Context, body []byte, progress func([]byte)) []byte

// Options say how to join a fleet.
type Options struct {
	URL    string // one or several, divided by commas
	Creds  string // a file of credentials; without one only loopback is allowed
	Name   string // of this member
	Logger *slog.Logger

	// Handle makes the member a node: it is called for each call.
	Handle Handler
	// Stream serves a stream that a gateway has opened. It is called in a goroutine of its
	// own, with what the gateway's Dial was given.
	Stream func(conn net.Conn, gateway string, hello []byte)
	// State returns what a node says of itself. Name, Instance and Age are set here.
	State func() State
	// Drain is called when an operator has a node drain, or take sessions again.
	Drain func(on bool)
	// Patient lets Join return when the NATS server cannot be reached yet.
	Patient bool
}

// A Member is one connection to a fleet. It is safe for concurrent use.
type Member struct {
	opt      Options
	log      *slog.Logger
	conn     *nats.Conn
	instance string
	joined   time.Time
	ctx      context.Context // of everything that the member does
	stop     context.CancelFunc
	rivals   chan State    // others with our name, while we claim it
	ready    chan struct{} // closed when Join returns
	memory   *memory

	entering sync.Mutex // held while the name is claimed

	mu    sync.Mutex // guards what follows
	nodes map[string]*known
	boxes map[string]*mailbox // by the last part of their subjects
	boxed int                 // how many there have been
	subs  []*nats.Subscription

	dialed map[string]*stream // by the last part of the subject of their answers
	served map[string]*stream // by the subject of their answers
	here   bool               // a node that has its name

	draining bool
	recorded ownRecord

	recalled    chan struct{} // closed when the records of nodes have been read, or cannot be
	recallOnce  sync.Once
	reconnected chan struct{} // gets a value when there is a connection again
}

// Join joins a fleet. An error says what to do.
func Join(ctx context.Context, o Options) (*Member, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &Member{
		opt: o, log: o.Logger, instance: rand.Text(), joined: time.Now(), rivals: make(chan State, 1), ready: make(chan struct{}),
		recalled: make(chan struct{}), reconnected: make(chan struct{}, 1),
		memory: newMemory(), nodes: map[string]*known{}, boxes: map[string]*mailbox{}, dialed: map[string]*stream{}, served: map[string]*stream{},
	}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer close(m.ready)
	if err := m.connect(); err != nil {
		m.stop()
		return nil, err
	}
	if err := m.listen(); err != nil {
		m.Close()
		return nil, err
	}
	if m.conn.IsConnected() { // otherwise it enters when it is
		if err := m.enter(ctx); err != nil {
			m.Close()
			return nil, err
		}
	}
	go m.keepRecords()
	return m, nil
}

// Name returns the member's name.
func (m *Member) Name() string { return m.opt.Name }

// listen subscribes to what every member hears: nodes' states, and answers.
func (m *Member) listen() error {
	if _, err := m.conn.Subscribe(stateOf("*"), m.heardState); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	if m.opt.Handle != nil {
		if _, err := m.conn.Subscribe(stateOf(m.opt.Name), m.heardName); err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
	}
	if _, err := m.conn.Subscribe(repliesTo("*", m.opt.Name, m.instance)+".*", m.heardReply); err != nil {
		return fmt.Errorf("fleet: %w", err)
	}
	return nil
}

const (
	// claimTime is how long a node waits for another to say that it has the name.
	claimTime = 300 * time.Millisecond
	// nameTime is how long a node waits for another to leave that has its name, as
	// the one does that it replaces.
	nameTime = 5 * time.Second
)

// enter makes a node one that others know, and asks which others there are. A node that
// has entered tells others that it is there.
func (m *Member) enter(ctx context.Context) error {
	m.entering.Lock()
	defer m.entering.Unlock()
	if m.opt.Handle != nil && !m.isHere() {
		if err := m.claim(ctx); err != nil {
			return err
		}
		if err := m.serve(); err != nil {
			return err
		}
	}
	if m.isHere() {
		if err := m.announce(State{}); err != nil {
			return err
		}
	}
	return m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replies(boxWho), nil)
}

// isHere reports whether the member is a node that has its name.
func (m *Member) isHere() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.here
}

// claim waits until no other node has the name.
func (m *Member) claim(ctx context.Context) error {
	limit := time.Now().Add(nameTime)
	for {
		if err := m.announce(State{Claim: true}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-m.ctx.Done():
			return ErrLeft
		case <-time.After(claimTime):
			return nil
		case other := <-m.rivals:
			if time.Now().After(limit) {
				return fmt.Errorf("%w: a node named %q is in the fleet already (%s, %d sessions); give this one another --node",
					ErrNameTaken, m.opt.Name, labelText(other.Labels), other.Sessions)
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(claimTime):
		}
	}
}

// state returns what the member says of itself.
func (m *Member) state() State {
	var s State
	if m.opt.State != nil {
		s = m.opt.State()
	}
	s.Name, s.Instance, s.Protocol, s.Age = m.opt.Name, m.instance, protocol, time.Since(m.joined).Milliseconds()
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Draining = m.draining
	return s
}

// heardState takes what a node says of itself.
func (m *Member) heardState(msg *nats.Msg) {
	s, ok := readState(msg.Subject, msg.Data)
	if !ok {
		m.log.Warn("fleet: a state that cannot be read", "subject", msg.Subject, "bytes", len(msg.Data))
		return
	}
	m.note(s)
}

// heardName takes the state of a node with our name. Of two that have it the one keeps
// it that has had it longer. A node may hear this where it may not hear others.
func (m *Member) heardName(msg *nats.Msg) {
	s, ok := readState(msg.Subject, msg.Data)
	if !ok || s.Instance == m.instance || s.Gone {
		return
	}
	if !m.isHere() {
		if s.Claim && s.Instance > m.instance {
			return // both are about to enter; we may
		}
		select {
		case m.rivals <- s:
		default:
		}
		return
	}
	if age := time.Since(m.joined).Milliseconds(); !s.Claim && (s.Age > age || s.Age == age && s.Instance < m.instance) {
		m.yield(s)
		return
	}
	if err := m.announce(State{}); err != nil {
		m.log.Warn("fleet: announce", "err", err)
	}
}

// yield leaves the name to a node that has had it longer.
func (m *Member) yield(s State) {
	m.log.Error("fleet: another node has this name and was there first; this one takes no more calls of others: restart it with another --node",
		"node", m.opt.Name, "other", labelText(s.Labels))
	m.unserve()
}

// leaveLimit is how long a member waits for its last words to go out.
const leaveLimit = time.Second

// Close leaves the fleet: other members forget a node that closes.
func (m *Member) Close() {
	if m.isHere() {
		if err := errors.Join(m.deleteRecord(), m.announce(State{Gone: true})); err != nil {
			m.log.Debug("fleet: leave", "err", err)
		}
	}
	m.Detach()
}

// Detach leaves the fleet for the node's next run, which comes back with its sessions. Calls
// that are being made for others are left without an answer: their gateways ask the next run.
func (m *Member) Detach() {
	m.unserve()
	m.mu.Lock()
	dialed := slices.Collect(maps.Values(m.dialed))
	m.mu.Unlock()
	endStreams(dialed)
	m.stop()
	if m.conn.IsConnected() {
		if err := m.conn.FlushTimeout(leaveLimit); err != nil {
			m.log.Debug("fleet: leave", "err", err)
		}
	}
	m.conn.Close()
}
