package keeper

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// SocketName is the name of the keeper's socket in its directory.
const SocketName = "keeper.sock"

// An Owner is a child.Owner whose children belong to a keeper. When the keeper
// is killed its children are lost, and the next start gets a new one. It is safe
// for concurrent use.
type Owner struct {
	opt      OwnerOptions
	replaced chan struct{} // closed when another server has taken over
	watches  sync.WaitGroup

	mu     sync.Mutex // guards what follows
	client *client
	closed bool
}

// OwnerOptions configure an Owner.
type OwnerOptions struct {
	Dir     string // of the keeper's socket; required
	Replace bool   // take the keeper over from a connected server
	// Spawn starts a keeper's process and returns when it listens; required.
	Spawn func(ctx context.Context) error
	// Store returns the store of a child's log; nil: logs are not read.
	Store func(id string) (eventlog.Store, error)
}

// Open connects to the keeper of a directory, and starts one if there is none. The error
// wraps ErrBusy when another server is connected and ErrVersion when the keeper has
// another version.
func Open(ctx context.Context, o OwnerOptions) (*Owner, error) {
	w := &Owner{opt: o, replaced: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.connectLocked(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

// connectLocked connects to the keeper.
func (o *Owner) connectLocked(ctx context.Context) error {
	path := filepath.Join(o.opt.Dir, SocketName)
	conn, err := localsock.Dial(ctx, path)
	if errors.Is(err, localsock.ErrNoServer) {
		if err := o.opt.Spawn(ctx); err != nil {
			return fmt.Errorf("start the keeper: %w", err)
		}
		conn, err = localsock.Dial(ctx, path)
	}
	if err != nil {
		return err
	}
	c, err := connect(conn, o.opt.Replace, o.opt.Store)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	o.client = c
	o.watches.Go(func() { o.watch(c) })
	return nil
}

// SetSpawn replaces the function that starts keepers.
func (o *Owner) SetSpawn(spawn func(context.Context) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opt.Spawn, o.opt.Replace = spawn, false
}

// watch waits for the end of a connection.
func (o *Owner) watch(c *client) {
	<-c.gone
	if c.wasReplaced() {
		close(o.replaced)
	}
}

// Adopt returns the children that an earlier server has started. Call it once.
func (o *Owner) Adopt(ctx context.Context) ([]child.Found, error) {
	o.mu.Lock()
	c := o.client
	o.mu.Unlock()
	return c.adopt(ctx)
}

// Replaced is closed when another server has taken the keeper over.
func (o *Owner) Replaced() <-chan struct{} { return o.replaced }

// PID returns the process id of the keeper.
func (o *Owner) PID() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.client.pid
}

// Adopter returns the process that adopts the children's orphans: the keeper.
func (o *Owner) Adopter() int { return o.PID() }

// Start starts a child, in a new keeper if the previous one has ended.
func (o *Owner) Start(spec child.Spec) (child.Child, error) {
	c, err := o.living(context.Background())
	if err != nil {
		return nil, err
	}
	return c.start(spec)
}

// living returns the connection to a living keeper.
func (o *Owner) living(ctx context.Context) (*client, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.client.gone:
	default:
		return o.client, nil
	}
	if o.closed || o.client.wasReplaced() {
		return nil, ErrReplaced
	}
	if err := o.connectLocked(ctx); err != nil {
		return nil, err
	}
	return o.client, nil
}

// Close ends the connection after the children have ended. The keeper ends too.
func (o *Owner) Close() error {
	o.end((*client).bye)
	return nil
}

// Leave ends the connection and leaves the children to the next server. Read then returns
// io.EOF, and End does nothing.
func (o *Owner) Leave() { o.end((*client).leave) }

// end ends the connection.
func (o *Owner) end(how func(*client)) {
	o.mu.Lock()
	o.closed = true
	c := o.client
	o.mu.Unlock()
	how(c)
	o.watches.Wait()
}
