package keeper

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
)

// SocketName is the name of the keeper's socket in its directory.
const SocketName = "keeper.sock"

// An Owner starts children in a keeper's process, so that they outlive this one. It implements
// child.Owner. If the keeper is killed, its children are lost, and the next Start starts a new
// keeper. An Owner is safe for concurrent use.
type Owner struct {
	opt      OwnerOptions
	replaced chan struct{} // closed when another server has taken over

	mu     sync.Mutex // guards what follows
	client *client
	closed bool
}

// OwnerOptions configure an Owner.
type OwnerOptions struct {
	Dir     string // the data directory, which contains the keeper's socket and the logs; required
	Replace bool   // take over the keeper from a connected server
	Redact  bool   // the keeper must hide secrets in the logs; if it does not, Open returns ErrUnredacted
	// Spawn starts a keeper's process and returns when the keeper listens; required. With Replace,
	// Open does not call it, but Start may.
	Spawn func(ctx context.Context) error
}

// Open connects to the keeper in opt.Dir. Without Replace, it starts a keeper if there is none. The
// error wraps ErrBusy if another server is connected, ErrWithin if this server runs in one of the
// keeper's sessions, ErrUnredacted if Redact is set and the keeper does not hide secrets,
// ErrVersion if the keeper speaks another version of the protocol, and localsock.ErrNoServer if
// there is no keeper to take over.
func Open(ctx context.Context, opt OwnerOptions) (*Owner, error) {
	o := &Owner{opt: opt, replaced: make(chan struct{})}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.connectLocked(ctx); err != nil {
		return nil, err
	}
	return o, nil
}

// connectLocked connects to the keeper. Without Replace, it starts a keeper if none is listening.
func (o *Owner) connectLocked(ctx context.Context) error {
	path := filepath.Join(o.opt.Dir, SocketName)
	conn, err := localsock.Dial(ctx, path)
	if errors.Is(err, localsock.ErrNoServer) && !o.opt.Replace {
		if err := o.opt.Spawn(ctx); err != nil {
			return fmt.Errorf("start the keeper: %w", err)
		}
		conn, err = localsock.Dial(ctx, path)
	}
	if err != nil {
		return err
	}
	c, err := connect(conn, o.opt, o.replaced)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	o.client, o.opt.Replace = c, false
	return nil
}

// TakeOver attaches the children that an earlier server started, and returns them in the order in
// which they were started. Their events arrive at once, so call Read of each. Call TakeOver once.
func (o *Owner) TakeOver(ctx context.Context) (all []child.Found, err error) {
	o.mu.Lock()
	c := o.client
	o.mu.Unlock()
	for _, a := range c.found {
		r, err := c.ask(ctx, 0, message{Child: a.Number, Body: attach})
		if err != nil {
			return all, err
		}
		r.Found.ID, r.Found.Child = a.ID, r.kid
		all = append(all, r.Found)
	}
	return all, nil
}

// Replaced returns a channel that is closed when another server has taken over the keeper.
func (o *Owner) Replaced() <-chan struct{} { return o.replaced }

// Subreaper returns the keeper's process ID: orphaned descendants of the children become its
// children.
func (o *Owner) Subreaper() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.client.pid
}

// Start starts a child, in a new keeper if the previous one has ended. The error wraps ErrReplaced if
// another server has taken over, and net.ErrClosed if the Owner was closed. If the keeper does not
// answer in time, the error wraps child.ErrSilent; a child that the keeper then starts is killed.
func (o *Owner) Start(spec child.Spec) (child.Child, error) {
	c, err := o.connection(context.Background())
	if err != nil {
		return nil, err
	}
	r, err := c.ask(context.Background(), answerLimit, message{Body: spec})
	if err != nil {
		return nil, err
	}
	return r.kid, nil
}

// connection returns the connection to the keeper. It starts a new keeper if the last one has
// ended.
func (o *Owner) connection(ctx context.Context) (*client, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.client.gone:
	default:
		return o.client, nil
	}
	switch {
	case o.closed:
		return nil, net.ErrClosed
	case o.client.replaced:
		return nil, ErrReplaced
	}
	if err := o.connectLocked(ctx); err != nil {
		return nil, err
	}
	return o.client, nil
}

// Close ends the connection and prevents new ones. A keeper with children continues, for the next
// server. Close waits at most leaveLimit for the end of a keeper without children. Afterwards Read of
// each child returns the queued events and then io.EOF, and End does nothing while the keeper runs.
func (o *Owner) Close() error {
	o.mu.Lock()
	o.closed = true
	c := o.client
	o.mu.Unlock()
	c.leave()
	return nil
}
