package keeper

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// IdleLimit is how long a keeper without a living child waits for a server.
const IdleLimit = 30 * time.Second

// Options configure a Keeper.
type Options struct {
	NewStore func(child.Spec) (eventlog.Store, error)
	Log      eventlog.Options
	Idle     time.Duration // default IdleLimit
}

// A Keeper owns children for one server at a time. It is safe for concurrent use.
type Keeper struct {
	opt    Options
	local  *child.Local
	gauges *gauges
	idle   chan struct{} // asks Serve to look whether it is idle
	loops  sync.WaitGroup

	mu     sync.Mutex // guards what follows
	kids   map[uint32]*kid
	number uint32       // of the last child
	slots  map[int]bool // of gauges in use
	peer   *peer        // the server connected, nil when none is
	bye    bool         // the last server has said that it ends
	last   *peer        // the server that waits for the keeper's end
}

// New returns a Keeper without children.
func New(o Options) (*Keeper, error) {
	if o.Idle == 0 {
		o.Idle = IdleLimit
	}
	o.Log.Direct = true // what the server sees is in the log
	g, err := newGauges()
	if err != nil {
		return nil, err
	}
	k := &Keeper{opt: o, gauges: g, idle: make(chan struct{}, 1), kids: map[uint32]*kid{}, slots: map[int]bool{}}
	k.local = child.NewLocal(child.Options{NewStore: o.NewStore, Log: o.Log, Gauge: k.gauge})
	return k, nil
}

// gauge gives a child that is being started the gauge of its slot.
func (k *Keeper) gauge(slot int) *child.Gauge {
	g := k.gauges.at(slot)
	*g = child.Gauge{}
	return g
}

// A Listener accepts servers.
type Listener interface {
	Accept() (*net.UnixConn, error)
	Close() error
}

// Serve serves the servers that come until the keeper is idle for long enough or
// ctx ends. Then all children are ended. The caller closes l after it.
func (k *Keeper) Serve(ctx context.Context, l Listener) error {
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				k.loops.Go(func() { k.greet(conn) })
			}
		}
	}()
	k.awaitIdle(ctx)
	err := l.Close()
	<-accepted
	return errors.Join(err, k.close())
}

// awaitIdle returns when nobody needs the keeper any more.
func (k *Keeper) awaitIdle(ctx context.Context) {
	timer := time.NewTimer(k.opt.Idle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.idle:
			idle, bye := k.isIdle()
			if idle && bye {
				return
			}
			timer.Reset(k.opt.Idle)
		case <-timer.C:
			if idle, _ := k.isIdle(); idle {
				return
			}
		}
	}
}

// isIdle reports whether no server is connected and no child lives, and whether
// the last server has said that it ends.
func (k *Keeper) isIdle() (idle, bye bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.peer != nil {
		return false, false
	}
	for _, kid := range k.kids {
		if kid.living() {
			return false, false
		}
	}
	return true, k.bye && len(k.kids) == 0
}

// look asks Serve to look whether it is idle.
func (k *Keeper) look() {
	select {
	case k.idle <- struct{}{}:
	default:
	}
}

// endGrace is how long children have to end by themselves when the keeper is told
// to end.
const endGrace = 500 * time.Millisecond

// close ends all children and connections.
func (k *Keeper) close() error {
	k.mu.Lock()
	if k.peer != nil {
		k.peer.link.close()
	}
	kids := k.kids
	k.kids = map[uint32]*kid{}
	k.mu.Unlock()
	var ending sync.WaitGroup
	for _, kid := range kids {
		ending.Go(func() {
			_ = kid.c.End(context.Background(), syscall.SIGHUP, endGrace) // Close of local says what is left
			kid.release()
		})
	}
	ending.Wait()
	err := k.local.Close()
	k.loops.Wait()
	return errors.Join(err, k.gauges.close())
}

// Release lets the last server, which waits for the keeper's end, go on. The end
// of the process does so too: this is for a keeper within another process.
func (k *Keeper) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last != nil {
		k.last.link.close()
	}
}

// greet takes a new connection: it becomes the server's when no other one is
// connected, or when it replaces that. A program of one of the children is not a server
// for them: it would have them without what the server's settings forbid.
func (k *Keeper) greet(conn *net.UnixConn) {
	p := &peer{k: k, link: newLink(conn), slots: make(chan struct{}, maxRequests), gone: make(chan struct{})}
	defer func() {
		if !k.waits(p) {
			p.link.close()
		}
	}()
	h, err := p.hello()
	if err != nil {
		return
	}
	p.pid = h.PID
	w := welcome{Version: version, PID: os.Getpid(), Within: within(conn)}
	if h.Version == version && !w.Within {
		w.Server = k.seat(p, h.Replace)
	}
	if h.Version != version || w.Within || w.Server != 0 {
		_ = p.link.writeJSON(frame{kind: kindHello}, w) // it may be gone already
		return
	}
	defer k.leave(p)
	w.Children = k.list()
	if p.link.writeJSON(frame{kind: kindHello}, w, k.gauges.file) == nil {
		p.serve()
	}
}

// within reports whether a connection is that of a program that a child of this
// process has started.
func within(conn *net.UnixConn) bool {
	_, pid, err := localsock.Peer(conn)
	return err == nil && pid > 0 && pid != os.Getpid() && child.DescendsFrom(pid, os.Getpid())
}

// waits reports whether a server waits for the keeper's own end: its connection
// ends with the process.
func (k *Keeper) waits(p *peer) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !p.bye || len(k.kids) > 0 {
		return false
	}
	k.last = p
	return true
}

// seatLimit is how long a server waits for the end of the connection before it: of
// a server that was killed just now, it may not have been noticed yet.
const seatLimit = time.Second

// seat makes p the server. It returns the process id of the one that is connected
// and stays.
func (k *Keeper) seat(p *peer, replace bool) (other int) {
	limit := time.NewTimer(seatLimit)
	defer limit.Stop()
	for {
		old := k.trySeat(p, replace)
		if old == nil {
			return 0
		}
		select {
		case <-old.gone:
		case <-limit.C:
			return max(old.pid, 1)
		}
	}
}

// trySeat makes p the server, or returns the one that is connected and stays.
func (k *Keeper) trySeat(p *peer, replace bool) *peer {
	k.mu.Lock()
	old := k.peer
	if old != nil && !replace {
		defer k.mu.Unlock()
		return old
	}
	k.peer, k.bye = p, false
	k.mu.Unlock()
	if old != nil {
		old.replaced()
	}
	return nil
}

// leave takes note that a server's connection has ended.
func (k *Keeper) leave(p *peer) {
	if !k.waits(p) {
		p.link.close()
	}
	k.mu.Lock()
	if k.peer == p {
		k.peer = nil
	}
	close(p.gone)
	kids := make([]*kid, 0, len(k.kids))
	for _, kid := range k.kids {
		kids = append(kids, kid)
	}
	k.mu.Unlock()
	for _, kid := range kids {
		kid.detach(p)
	}
	p.asked.Wait()
	k.look()
}

// list returns what a new server is told.
func (k *Keeper) list() []about {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := []about{}
	for n := range k.number + 1 { // in the order of their starts
		if kid, ok := k.kids[n]; ok {
			list = append(list, kid.about)
		}
	}
	return list
}

// kid returns the child with this number, nil when there is none.
func (k *Keeper) kid(n uint32) *kid {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kids[n]
}
