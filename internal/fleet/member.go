package fleet

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A Handler runs a call: it gets the call's bytes, may report progress, and returns the answer, which
// may have at most limit bytes. The context ends when the caller cancels the call or this member
// disconnects. If a cancelled call may be run again, the Handler returns nil.
type Handler func(ctx context.Context, body []byte, limit int, progress func([]byte)) []byte

// Options configure Join.
type Options struct {
	URL    string            // the addresses of one or more NATS servers, separated by commas
	Creds  string            // the credentials file; without one, only loopback addresses are allowed
	Name   string            // the member's name
	Labels map[string]string // the node's labels, which selectors such as os=linux match
	Logger *slog.Logger      // default: nothing is logged

	// Handle runs each call. A member with a Handle is a node.
	Handle Handler
	// HandleUnread is called with the body of a call whose answer did not reach its caller. It reports
	// whether the call must be handled again if it is repeated. Default: no.
	HandleUnread func(body []byte) (again bool)
	// ResendBody returns the body for sending a call again after its caller has waited. Default: the same body.
	ResendBody func(body []byte, waited time.Duration) []byte
	// Hosts returns the hosts that the client of a context is limited to: a name, a pattern or
	// labels, or "" (the default) for no limit. The nodes check the limit too.
	Hosts func(ctx context.Context) string
	// Stopping is the cause with which the contexts of calls end when this server stops. Calls that
	// end with it continue at their nodes, and this server may repeat them after its restart.
	Stopping error
	// HandleStream serves a stream that a gateway has opened. It is called in a goroutine of its
	// own, with the hello that was passed to the gateway's Dial. If it is nil, streams are refused.
	HandleStream func(conn net.Conn, gateway string, hello []byte)
	// State returns the state that the node announces. The Member sets Name, Labels, Instance,
	// Protocol, Age and Draining in it.
	State func() State
	// HandleOrder is called with each order of an operator to this node, and when an operator has
	// declared another node lost. If it returns an error, this node does not drain or resume.
	HandleOrder func(Order) error
	// Operator names the person who gives orders through this member, with the person's machine.
	Operator string
	// Server marks a server, as opposed to a command. A server's Join returns even if the NATS
	// server cannot be reached yet. A server with a gateway's rights creates the bucket of node
	// records and, if Audit or Recordings is set, the stream of audit records or recordings.
	Server, Audit, Recordings bool
}

// A Member is one connection to a fleet. It is safe for concurrent use.
type Member struct {
	opt      Options
	log      *slog.Logger
	conn     *nats.Conn
	js       jetStream
	instance string          // names this run of the member
	secret   string          // the token that other nodes cannot guess, in the subjects of records and recordings
	ctx      context.Context // ends when the member disconnects
	stop     context.CancelFunc
	joined   chan struct{} // closed when Join returns

	nodes         *nodeTable
	service       *service
	replyHandlers sync.Map // by the last token of the reply subject
	dialed        *streams // by the last token of the reply subject

	entering   sync.Mutex // locked while enter runs
	unreadable sync.Once  // logs the first unreadable state

	nameDenied   atomic.Bool // NATS does not let this member use its name
	askDenied    atomic.Bool // NATS does not let this member ask all nodes for their states
	deniedLogged sync.Once   // logs the first missing right

	check       chan struct{} // receives a value from checkStreams, for keepRecords
	revision    atomic.Uint64 // revision of the record that this node has written; 0 if it has written none
	recordsRead chan struct{} // closed by endReading
	endReading  func()        // called after the first attempt to read the node records
}

// Join joins a fleet. Cancelling ctx later does not end the membership: the caller must call Close
// or Detach.
func Join(ctx context.Context, o Options) (*Member, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Hosts == nil {
		o.Hosts = func(context.Context) string { return "" }
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	creds, secret, err := o.credentials()
	if err != nil {
		return nil, err
	}
	m := &Member{
		opt: o, log: o.Logger, instance: rand.Text(), secret: secret, joined: make(chan struct{}),
		nodes: &nodeTable{nodes: map[string]*Node{}}, dialed: newStreams(maxDialed),
		check: make(chan struct{}, 1), recordsRead: make(chan struct{}),
	}
	m.endReading = sync.OnceFunc(func() { close(m.recordsRead) })
	m.service = newService(m)
	m.askDenied.Store(o.isNodeOnly())
	m.ctx, m.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer close(m.joined)
	if err := m.connect(creds); err != nil {
		m.stop()
		return nil, err
	}
	js, err := m.conn.JetStream(nats.MaxWait(requestLimit), nats.PublishAsyncTimeout(storeLimit))
	m.js = jetStream{js, m.conn}
	if err == nil {
		err = m.listen()
	}
	if err == nil && m.conn.IsConnected() { // otherwise handleConnected calls enter
		err = m.enter(ctx)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	go m.keepRecords()
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

// listen subscribes to replies to this member. Unless the credentials are only a node's, it subscribes
// to the states of all nodes. At a node, it subscribes to the states of other nodes with the same name.
func (m *Member) listen() error {
	subjects := map[string]nats.MsgHandler{replyPrefix("*", m.opt.Name, m.instance) + ".*": m.handleReply}
	if !m.opt.isNodeOnly() {
		subjects[stateSubject("*")] = m.handleState
	}
	if m.opt.Handle != nil {
		subjects[stateSubject(m.opt.Name)] = m.service.handleRival
	}
	m.replyHandlers.Store(whoKey, replyHandler(func(_ string, msg *nats.Msg) {
		if s, ok := readState(msg.Subject, msg.Data); ok {
			m.nodes.note(s)
		}
	}))
	_, err := m.subscribe(subjects)
	return err
}

func (m *Member) subscribe(subjects map[string]nats.MsgHandler) (subs []*nats.Subscription, err error) {
	for subject, handle := range subjects {
		sub, err := m.conn.Subscribe(subject, handle)
		if err != nil {
			return nil, fmt.Errorf("fleet: %w", err)
		}
		subs = append(subs, sub)
	}
	return subs, nil
}

// enter is called for each new connection. At a node, it claims the node's name and begins to serve,
// unless the node serves already, and it announces the node. If this member may ask all nodes for
// their states, enter asks. When it returns, NATS has received the subscriptions, unless the
// connection is lost or slow.
func (m *Member) enter(ctx context.Context) error {
	m.entering.Lock()
	defer m.entering.Unlock()
	if m.opt.Handle != nil {
		if err := m.service.begin(ctx); err != nil {
			return err
		}
	}
	m.learnRights()
	if m.CheckRights() != nil {
		return nil
	}
	if err := m.conn.PublishRequest(join(verbWho, m.opt.Name), m.replySubject(anyInstance, whoKey), nil); err != nil {
		return err
	}
	if err := m.conn.FlushTimeout(connectLimit); err != nil {
		m.log.Debug("fleet: enter", "err", err) // the connection is lost or slow; buffered messages are still sent
	}
	return nil
}

// handleState records the state that a node has announced.
func (m *Member) handleState(msg *nats.Msg) {
	if s, ok := readState(msg.Subject, msg.Data); ok {
		m.nodes.note(s)
		return
	}
	m.unreadable.Do(func() {
		m.log.Warn("fleet: unreadable state; others like it are not logged", "node", token(msg.Subject, nodeIndex), "bytes", len(msg.Data))
	})
}

// maxData returns the maximum size in bytes of the data of one message, without its headers.
func (m *Member) maxData() int { return max(int(m.conn.MaxPayload())-headerRoom, headerRoom) }

// leaveLimit is how long Detach waits for the last messages to be sent.
const leaveLimit = time.Second

// Leave makes the other members forget this node, which then accepts no more calls. Calls that are
// running still get answers.
func (m *Member) Leave() { m.service.leave() }

// Close leaves the fleet and disconnects.
func (m *Member) Close() {
	m.Leave()
	m.Detach()
}

// Detach disconnects a node that will be started again with its sessions; other members continue to
// know it. Calls that are running get no reply; their gateways ask the next instance of the node.
func (m *Member) Detach() {
	m.service.end()
	endAll(m.dialed)
	m.stop()
	if m.conn.IsConnected() {
		if err := m.conn.FlushTimeout(leaveLimit); err != nil {
			m.log.Debug("fleet: leave", "err", err)
		}
	}
	m.conn.Close()
}
