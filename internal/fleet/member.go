package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A Handler runs a call: it gets the call's bytes, may report progress, and returns the
// answer, of at most limit bytes. Its context ends when the caller cancels the call or the
// member leaves. It returns nil for a cancelled call that may be run again.
type Handler func(ctx context.Context, body []byte, limit int, progress func([]byte)) []byte

// Options configure Join.
type Options struct {
	URL    string            // the addresses of one or more NATS servers, separated by commas
	Creds  string            // the credentials file; without one, only loopback addresses are allowed
	Name   string            // the member's name
	Labels map[string]string // matched by host selectors
	Logger *slog.Logger

	// Handle runs each call. A member with a Handle is a node.
	Handle Handler
	// Unread is called with a call whose answer did not reach its caller. It reports whether the
	// call must be handled again if it is repeated.
	Unread func(body []byte) (again bool)
	// Again returns the form of a call for sending it again when its caller has waited for a time.
	Again func(body []byte, waited time.Duration) []byte
	// Stopping is the cause with which the contexts of calls end when this server stops. Such
	// calls continue at their nodes, and the next server may repeat them.
	Stopping error
	// Stream serves a stream that a gateway has opened. It is called in a goroutine of its
	// own, with the hello that was passed to the gateway's Dial.
	Stream func(conn net.Conn, gateway string, hello []byte)
	// State returns the node's state. The Member sets Name, Labels, Instance, Protocol, Age
	// and Draining.
	State func() State
	// Ordered is called with an operator's orders for this node, and when an operator has
	// declared another node lost. If it returns an error, this node does not carry out the order.
	Ordered func(Order) error
	// Operator names the person who gives orders through this member, with the person's machine.
	Operator string
	// Patient lets Join return while the NATS server cannot be reached yet. It also marks a
	// server, which creates missing streams.
	Patient bool
}

// A Member is one connection to a fleet. It is safe for concurrent use.
type Member struct {
	opt      Options
	log      *slog.Logger
	conn     *nats.Conn
	js       nats.JetStreamContext
	instance string
	secret   string // a token in the subjects of this member's records and recordings
	joined   time.Time
	ctx      context.Context // ends when the member leaves
	stop     context.CancelFunc
	rivals   chan State    // receives the states of other nodes with our name while we claim it
	ready    chan struct{} // closed when Join returns
	memory   *memory
	dialed   *streams // by the last token of the reply subject
	served   *streams // by the reply subject

	entering sync.Mutex    // held by enter
	check    chan struct{} // receives a value from checkStreams

	mu    sync.Mutex // guards what follows
	nodes map[string]*Node
	boxes map[string]*mailbox // by the last token of the reply subject

	unreadAt time.Time // when an unreadable state was last logged

	subs []*nats.Subscription

	here bool // this is a node that has claimed its name

	refusal       refusal
	refusalLogged sync.Once

	draining bool
	recorded ownRecord
	wanted   map[string]nats.StreamConfig // the streams that this member has opened, or tried to, by name

	recalled    chan struct{} // closed after the first attempt to read the node records
	recallOnce  sync.Once
	reconnected chan struct{} // receives a value for each new connection
}

// Join joins a fleet.
func Join(ctx context.Context, o Options) (*Member, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m := &Member{
		opt: o, log: o.Logger, instance: rand.Text(), joined: time.Now(), rivals: make(chan State, 1), ready: make(chan struct{}),
		recalled: make(chan struct{}), reconnected: make(chan struct{}, 1), check: make(chan struct{}, 1),
		memory: newMemory(), dialed: newStreams(maxDialed), served: newStreams(maxServed),
		refusal: refusal{asks: o.onlyNode()}, nodes: map[string]*Node{}, boxes: map[string]*mailbox{}, wanted: map[string]nats.StreamConfig{},
	}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer close(m.ready)
	var err error
	if m.secret, err = o.secret(); err != nil {
		return nil, err
	}
	if err := m.connect(); err != nil {
		m.stop()
		return nil, err
	}
	if m.js, err = m.conn.JetStream(nats.MaxWait(streamLimit), nats.PublishAsyncTimeout(keepLimit)); err != nil {
		m.Close()
		return nil, err
	}
	if err := m.listen(); err != nil {
		m.Close()
		return nil, err
	}
	if m.conn.IsConnected() { // otherwise it enters once it is connected
		if err := m.enter(ctx); err != nil {
			m.Close()
			return nil, err
		}
	}
	go m.keepRecords()
	go m.keepStreams()
	return m, nil
}

// Name returns the member's name.
func (m *Member) Name() string { return m.opt.Name }

// Connected returns ErrNoConnection while NATS cannot be reached or does not answer.
func (m *Member) Connected() error {
	if !m.conn.IsConnected() || m.conn.FlushTimeout(askLimit) != nil {
		return ErrNoConnection
	}
	return nil
}

// Reconnects returns how many times the connection to NATS was lost and restored.
func (m *Member) Reconnects() uint64 { return m.conn.Stats().Reconnects }

// listen subscribes to the messages that every member receives: the states of nodes, and replies.
func (m *Member) listen() error {
	if !m.opt.onlyNode() {
		if _, err := m.conn.Subscribe(stateOf("*"), m.heardState); err != nil {
			return fmt.Errorf("fleet: %w", err)
		}
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
	// claimTime is the time that a node waits for objections when it claims a name.
	claimTime = 300 * time.Millisecond
	// nameTime is the time that a node waits for another node with its name to leave, such
	// as the server that it replaces.
	nameTime = 5 * time.Second
)

// enter makes a node claim its name and begin to serve, unless it has done so before, and announce
// itself. A member with the right to do so then asks for the states of all nodes. When enter
// returns, NATS has received the subscriptions. It is called for each new connection.
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
	m.learnRights()
	if m.Rights() != nil {
		return nil
	}
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replies(boxWho), nil); err != nil {
		return err
	}
	if err := m.conn.FlushTimeout(connectLimit); err != nil {
		m.log.Debug("fleet: enter", "err", err) // the connection is lost or slow; buffered messages are still sent
	}
	return nil
}

// isHere reports whether the member is a node that has claimed its name.
func (m *Member) isHere() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.here
}

// claim announces that this node wants its name, and returns when no other node objects.
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
				return fmt.Errorf("%w: a node named %q is in the fleet already (%s, %d sessions); set another --node for this one",
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

// state returns the member's own state.
func (m *Member) state() State {
	var s State
	if m.opt.State != nil {
		s = m.opt.State()
	}
	s.Name, s.Labels, s.Instance, s.Protocol, s.Age = m.opt.Name, m.opt.Labels, m.instance, protocol, time.Since(m.joined).Milliseconds()
	m.mu.Lock()
	defer m.mu.Unlock()
	s.Draining = m.draining
	return s
}

// self returns the part of the member's state that selectors match.
func (m *Member) self() State { return State{Name: m.opt.Name, Labels: m.opt.Labels} }

// heardState records the state of a node.
func (m *Member) heardState(msg *nats.Msg) {
	s, ok := readState(msg.Subject, msg.Data)
	if ok {
		m.note(s)
		return
	}
	m.mu.Lock()
	warn := time.Since(m.unreadAt) > unreadPause
	if warn {
		m.unreadAt = time.Now()
	}
	m.mu.Unlock()
	if warn {
		m.log.Warn("fleet: unreadable state", "node", token(msg.Subject, nodePlace), "bytes", len(msg.Data))
	}
}

// unreadPause is the time between two log lines about unreadable states.
const unreadPause = time.Minute

// heardName handles the state of another node with our name. The node that has had the name
// longer keeps it. heardState has a separate subscription because NATS may permit a node to
// read only the states under its own name.
func (m *Member) heardName(msg *nats.Msg) {
	s, ok := readState(msg.Subject, msg.Data)
	if !ok || s.Instance == m.instance || s.Leaving {
		return
	}
	if !m.isHere() {
		if s.Claim && s.Instance > m.instance {
			return // both nodes claim the name; ours wins
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

// yield leaves the name to a node that has had it longer. This node then serves no more calls.
func (m *Member) yield(s State) {
	m.log.Error("fleet: another node had this name first, so this one accepts no more calls from the fleet; restart it with another --node",
		"node", m.opt.Name, "other", labelText(s.Labels))
	m.unserve()
}

// leaveLimit is the time that a leaving member waits for its last messages to be sent.
const leaveLimit = time.Second

// Leave makes a node serve no more calls and the other members forget it. Calls that are running
// still get answers.
func (m *Member) Leave() {
	if !m.isHere() {
		return
	}
	if err := errors.Join(m.deleteRecord(), m.announce(State{Leaving: true})); err != nil {
		m.log.Debug("fleet: leave", "err", err)
	}
	m.unserve()
}

// Close leaves the fleet and disconnects.
func (m *Member) Close() {
	m.Leave()
	m.Detach()
}

// Detach disconnects a node that will be started again with its sessions. Calls that are running
// get no reply; their gateways ask the next instance of the node.
func (m *Member) Detach() {
	m.unserve()
	endAll(m.dialed)
	m.stop()
	if m.conn.IsConnected() {
		if err := m.conn.FlushTimeout(leaveLimit); err != nil {
			m.log.Debug("fleet: leave", "err", err)
		}
	}
	m.conn.Close()
}
