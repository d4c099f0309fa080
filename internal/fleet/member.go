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
// answer, of at most limit bytes. Its context ends when the caller cancels the call, or the
// member leaves. The answer is nil for a call that was cancelled and may be run again.
type Handler func(ctx context.Context, body []byte, limit int, progress func([]byte)) []byte

// Options say how to join a fleet.
type Options struct {
	URL    string // of the NATS server, or of several, separated by commas
	Creds  string // the credentials file; without one only loopback addresses are allowed
	Name   string // the member's name
	Logger *slog.Logger

	// Handle runs each call. A member with a Handle is a node.
	Handle Handler
	// Stream serves a stream that a gateway has opened. It is called in a goroutine of its
	// own, with the hello that was passed to the gateway's Dial.
	Stream func(conn net.Conn, gateway string, hello []byte)
	// State returns the node's state. The Member sets Name, Instance, Protocol, Age and
	// Draining.
	State func() State
	// Drain is called when an operator has the node drain (on), or accept sessions again.
	Drain func(on bool)
	// Patient lets Join return when the NATS server cannot be reached yet.
	Patient bool
}

// A Member is one connection to a fleet. It is safe for concurrent use.
type Member struct {
	opt      Options
	log      *slog.Logger
	conn     *nats.Conn
	js       nats.JetStreamContext
	instance string
	joined   time.Time
	ctx      context.Context // ends when the member leaves
	stop     context.CancelFunc
	rivals   chan State    // gets the states of other nodes with our name while we claim it
	ready    chan struct{} // closed when Join returns
	memory   *memory
	dialed   *streams // by the last part of the subject of their answers
	served   *streams // by the subject of their answers

	entering sync.Mutex // held while the name is claimed
	copying  sync.Mutex // held while streams get more copies

	mu    sync.Mutex // guards what follows
	nodes map[string]*known
	boxes map[string]*mailbox // by the last part of their subjects
	boxed int                 // how many mailboxes there have been

	unreadable map[string]int // states that could not be read, by node, in the last unreadPause

	subs []*nats.Subscription

	here bool // this is a node, and has claimed its name

	refusal     refusal
	refusalTold bool // the log has it

	draining bool
	recorded ownRecord

	recalled    chan struct{} // closed when the records of nodes have been read, or cannot be
	recallOnce  sync.Once
	reconnected chan struct{} // gets a value when there is a connection again
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
		recalled: make(chan struct{}), reconnected: make(chan struct{}, 1),
		memory: newMemory(), dialed: newStreams(maxDialed), served: newStreams(maxServed),
		nodes: map[string]*known{}, boxes: map[string]*mailbox{}, unreadable: map[string]int{},
	}
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer close(m.ready)
	if err := m.connect(); err != nil {
		m.stop()
		return nil, err
	}
	var err error
	if m.js, err = m.conn.JetStream(nats.MaxWait(streamLimit), nats.PublishAsyncTimeout(shipLimit)); err != nil {
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
	return m, nil
}

// Name returns the member's name.
func (m *Member) Name() string { return m.opt.Name }

// Connected returns ErrNoConnection while there is no connection to NATS.
func (m *Member) Connected() error {
	if !m.conn.IsConnected() {
		return ErrNoConnection
	}
	return nil
}

// listen subscribes to the messages that every member gets: nodes' states, and answers.
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
	// claimTime is how long a node that claims a name waits for an objection.
	claimTime = 300 * time.Millisecond
	// nameTime is how long a node waits for another one with its name to leave, such as
	// the server that it replaces.
	nameTime = 5 * time.Second
)

// enter has a node claim its name, begin to serve and announce itself, unless it has done
// so before. Any member then asks for the states of all nodes. When it returns, NATS has
// the subscriptions. It is called for every new connection.
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
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replies(boxWho), nil); err != nil {
		return err
	}
	if err := m.conn.FlushTimeout(connectLimit); err != nil {
		m.log.Debug("fleet: enter", "err", err) // the connection is lost, or slow: what was sent goes out all the same
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

// state returns the member's own state.
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

// heardState notes a node's state.
func (m *Member) heardState(msg *nats.Msg) {
	s, ok := readState(msg.Subject, msg.Data)
	if !ok {
		m.unread(token(msg.Subject, nodePlace), len(msg.Data))
		return
	}
	m.note(s)
}

// unreadPause is how often the log counts a node's unreadable states, and maxUnread the
// nodes that are counted by name.
const (
	unreadPause = time.Minute
	maxUnread   = 100
)

// unread logs a state that cannot be read. Those that follow from the same node are counted.
func (m *Member) unread(node string, bytes int) {
	m.mu.Lock()
	if _, ok := m.unreadable[node]; !ok && len(m.unreadable) >= maxUnread {
		node = "others"
	}
	n, again := m.unreadable[node]
	m.unreadable[node] = n + 1
	m.mu.Unlock()
	if again {
		return
	}
	m.log.Warn("fleet: unreadable state; further ones are counted", "node", node, "bytes", bytes)
	time.AfterFunc(unreadPause, func() {
		m.mu.Lock()
		n := m.unreadable[node]
		delete(m.unreadable, node)
		m.mu.Unlock()
		if n > 1 && m.ctx.Err() == nil {
			m.log.Warn("fleet: more unreadable states", "node", node, "count", n-1)
		}
	})
}

// heardName handles the state of another node with our name. The node that has had the
// name longer keeps it. The subscription is separate from heardState's because NATS may
// permit a node to read only the states under its own name.
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

// yield gives the name up to a node that has had it longer: this one serves no more calls.
func (m *Member) yield(s State) {
	m.log.Error("fleet: another node had this name first; this one accepts no more calls from the fleet: restart it with another --node",
		"node", m.opt.Name, "other", labelText(s.Labels))
	m.unserve()
}

// leaveLimit is how long a member that leaves waits for its last messages to be sent.
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
	m.dialed.end()
	m.stop()
	if m.conn.IsConnected() {
		if err := m.conn.FlushTimeout(leaveLimit); err != nil {
			m.log.Debug("fleet: leave", "err", err)
		}
	}
	m.conn.Close()
}
