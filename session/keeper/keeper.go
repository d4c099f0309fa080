package keeper

import (
	"context"
	"errors"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/localsock"
	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// idleLimit is how long a keeper without a running child waits for a server.
const idleLimit = 30 * time.Second

// Options configure a Keeper.
type Options struct {
	Dir string // the data directory of its servers, which contains the children's logs; required
	Log eventlog.Options
}

// A Keeper owns children for one server at a time. It is safe for concurrent use.
type Keeper struct {
	local      *child.Local
	gauges     *gauges
	unredacted bool          // secrets are not hidden in the logs
	idle       chan struct{} // receives requests to check whether the keeper is idle
	loops      sync.WaitGroup

	mu         sync.Mutex // guards what follows
	kids       map[uint32]*kid
	lastNumber uint32 // the number of the last child, see next
	peer       *peer  // the connected server; nil if there is none
	last       *peer  // the server that has left no children, and waits for the keeper's end; nil if there is none
}

// New returns a Keeper without children.
func New(o Options) (*Keeper, error) {
	o.Log.Direct = true // an event must be in the log before the server sees it
	g, err := newGauges()
	if err != nil {
		return nil, err
	}
	k := &Keeper{gauges: g, unredacted: o.Log.Mask == nil, idle: make(chan struct{}, 1), kids: map[uint32]*kid{}}
	k.local = child.NewLocal(child.Options{
		NewStore: func(s child.Spec) (eventlog.Store, error) { return eventlog.OpenStore(o.Dir, s.ID) },
		Log:      o.Log,
		Gauge: func(slot int) *child.Gauge {
			g := k.gauges.at(slot)
			*g = child.Gauge{}
			return g
		},
	})
	return k, nil
}

// A Listener accepts servers.
type Listener interface {
	Accept() (*net.UnixConn, error)
	Close() error
}

// Serve serves one server after another. When the keeper has been idle for idleLimit, when a server
// has left no children, or when ctx ends, Serve closes l, ends all children and returns.
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

// awaitIdle waits until the keeper is no longer needed, or ctx ends.
func (k *Keeper) awaitIdle(ctx context.Context) {
	timer := time.NewTimer(idleLimit)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.idle:
			if _, done := k.isIdle(); done {
				return
			}
			timer.Reset(idleLimit)
		case <-timer.C:
			if idle, _ := k.isIdle(); idle {
				return
			}
		}
	}
}

// isIdle reports whether no server is connected and no child is running. done reports whether, in
// addition, the last server has left no children, so that the keeper need not wait for another.
func (k *Keeper) isIdle() (idle, done bool) {
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
	return true, k.last != nil
}

// requestIdleCheck asks Serve to check whether the keeper is idle.
func (k *Keeper) requestIdleCheck() {
	select {
	case k.idle <- struct{}{}:
	default:
	}
}

// endGrace is the time that children have to end by themselves when the keeper ends.
const endGrace = 500 * time.Millisecond

// close ends all children and the connection.
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
			_ = kid.c.End(context.Background(), syscall.SIGHUP, endGrace) // local.Close reports remaining processes
			kid.release()
		})
	}
	ending.Wait()
	defer k.loops.Wait()
	return k.local.Close()
}

// greet serves a new connection if admit accepts it.
func (k *Keeper) greet(conn *net.UnixConn) {
	p := &peer{k: k, link: newLink(conn), gone: make(chan struct{})}
	if !k.admit(p) {
		p.link.close()
		return
	}
	defer k.leave(p)
	w := welcome{Version: version, PID: os.Getpid(), Children: k.list()}
	if p.link.write(message{Body: w}, k.gauges.file) == nil {
		p.serve()
	}
}

// admit makes p the connected server if no other server is connected, or if p asks to replace it. It
// refuses a server that runs in one of the keeper's sessions, because that server would control
// the sessions without the restrictions of the real server's settings. It also refuses a server of
// another version, and one that wants secrets hidden in the logs if this keeper does not hide them.
func (k *Keeper) admit(p *peer) bool {
	h, err := p.hello()
	if err != nil {
		return false
	}
	p.pid = h.PID
	w := welcome{Version: version, PID: os.Getpid(), Within: isDescendant(p.link.conn), Unredacted: h.Redact && k.unredacted}
	if h.Version == version && !w.Within && !w.Unredacted {
		if w.Server = k.setPeer(p, h.Replace); w.Server == 0 {
			return true
		}
	}
	_ = p.link.write(message{Body: w}, nil) // w says why; the server may have ended already
	return false
}

// isDescendant reports whether the process at the other end of a connection is a descendant of this
// process. If that process has ended, isDescendant returns true, because its ancestors are not known.
func isDescendant(conn *net.UnixConn) bool {
	_, pid, err := localsock.Peer(conn)
	if err != nil || pid <= 0 || pid == os.Getpid() {
		return false
	}
	line, err := child.Lineage(pid)
	return err != nil || slices.ContainsFunc(line, func(p child.Relative) bool { return p.PID == os.Getpid() })
}

// peerEndLimit is how long a new server waits for the previous connection to end, because the keeper
// may not have noticed yet that the previous server was killed. If a replaced server does not end its
// connection within this time, the keeper closes the connection.
const peerEndLimit = time.Second

// setPeer makes p the connected server and returns 0. If another server stays connected, setPeer
// returns that server's process ID, or 1 if the ID is not known.
func (k *Keeper) setPeer(p *peer, replace bool) (other int) {
	limit := time.NewTimer(peerEndLimit)
	defer limit.Stop()
	for {
		k.mu.Lock()
		old, last := k.peer, k.last
		free := old == nil || replace
		if free {
			k.peer, k.last = p, nil
		}
		k.mu.Unlock()
		if free {
			if last != nil {
				last.link.close() // the keeper keeps running, so last must not wait for its end
			}
			if old != nil {
				old.replaced()
			}
			return 0
		}
		select {
		case <-old.gone:
		case <-limit.C:
			return max(old.pid, 1)
		}
	}
}

// leave removes a server that sends no more messages. If there are no children, leave keeps the
// connection open until the process ends, because the server waits for the keeper's end. k.last refers
// to the connection, so that the garbage collector does not close it.
func (k *Keeper) leave(p *peer) {
	k.mu.Lock()
	if k.peer == p && len(k.kids) == 0 {
		k.last = p
	} else {
		p.link.close()
	}
	if k.peer == p {
		k.peer = nil
	}
	close(p.gone)
	kids := slices.Collect(maps.Values(k.kids))
	k.mu.Unlock()
	for _, kid := range kids {
		kid.detach(p)
	}
	p.requests.Wait()
	k.requestIdleCheck()
}

// list describes the children to a new server.
func (k *Keeper) list() []childInfo {
	k.mu.Lock()
	defer k.mu.Unlock()
	list := []childInfo{}
	for _, n := range slices.Sorted(maps.Keys(k.kids)) { // in the order in which they were started
		list = append(list, k.kids[n].childInfo)
	}
	return list
}

// kid returns the child with a number, or nil if there is none.
func (k *Keeper) kid(n uint32) *kid {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kids[n]
}
