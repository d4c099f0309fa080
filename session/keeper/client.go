package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A client is the server's side of a keeper. It is safe for concurrent use.
type client struct {
	link   *link
	pid    int // of the keeper
	gauges *gauges
	store  func(id string) (eventlog.Store, error)
	loops  sync.WaitGroup
	gone   chan struct{} // closed when the connection has ended

	mu       sync.Mutex // guards what follows
	kids     map[uint32]*remote
	waiting  map[uint32]chan<- reply
	request  uint32
	replaced bool
	found    []about // children of an earlier server, not attached yet
}

// A reply is an answer, with the file that came with it.
type reply struct {
	answer
	file *os.File
}

// connect makes a client of a connection to a keeper. store returns the store of a child's
// log.
func connect(conn *net.UnixConn, replace bool, store func(id string) (eventlog.Store, error)) (*client, error) {
	c := &client{
		link: newLink(conn), store: store, gone: make(chan struct{}),
		kids: map[uint32]*remote{}, waiting: map[uint32]chan<- reply{},
	}
	if err := c.hello(replace); err != nil {
		c.link.close()
		return nil, err
	}
	c.loops.Go(c.receive)
	return c, nil
}

// hello introduces the server.
func (c *client) hello(replace bool) error {
	h := hello{Version: version, PID: os.Getpid(), Replace: replace}
	if err := c.link.writeJSON(frame{kind: kindHello}, h); err != nil {
		return err
	}
	f, err := c.link.read()
	if err != nil {
		return err
	}
	var w welcome
	if err := json.Unmarshal(f.data, &w); err != nil || f.kind != kindHello {
		return errFrame
	}
	switch {
	case w.Version != version:
		return fmt.Errorf("%w: process %d speaks version %d, this is %d; end its sessions with the glasstty that started them", ErrVersion, w.PID, w.Version, version)
	case w.Within:
		return fmt.Errorf("%w (process %d); start it outside of them", ErrWithin, w.PID)
	case w.Server != 0:
		return fmt.Errorf("%w: process %d", ErrBusy, w.Server)
	}
	file := c.link.file("gauges")
	if file == nil {
		return errFrame
	}
	c.pid, c.found = w.PID, w.Children
	if c.gauges, err = mapGauges(file); err != nil {
		return err
	}
	return file.Close()
}

// receive takes what the keeper sends until the connection ends.
func (c *client) receive() {
	for {
		f, err := c.link.read()
		if err == nil {
			err = c.take(f)
		}
		if err != nil {
			c.lost()
			return
		}
	}
}

// take takes one frame.
func (c *client) take(f frame) error {
	switch f.kind {
	case kindAnswer:
		return c.answered(f)
	case kindReplaced:
		c.mu.Lock()
		c.replaced = true
		c.mu.Unlock()
		return nil
	}
	c.mu.Lock()
	kid := c.kids[f.child]
	c.mu.Unlock()
	if kid == nil {
		return nil // it was released meanwhile
	}
	switch f.kind {
	case kindOutput:
		kid.put(child.Event{Kind: child.Output, Data: f.data, Logged: f.logged})
	case kindEvent:
		return decode(f, kid.put)
	case kindDrained:
		kid.drain()
	case kindExited:
		return decode(f, kid.exited)
	case kindStatus:
		return decode(f, kid.logged)
	default:
		return fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
	return nil
}

// answered passes an answer to the goroutine that waits for it. If the answer attaches a
// child, it registers the child before its stream begins.
func (c *client) answered(f frame) error {
	var r reply
	if err := json.Unmarshal(f.data, &r.answer); err != nil {
		return fmt.Errorf("%w: %w", errFrame, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Number != 0 {
		if !r.Pipe {
			if r.file = c.link.file("terminal"); r.file == nil {
				return fmt.Errorf("%w: a child without its terminal", errFrame)
			}
		}
		c.kids[r.Number] = newRemote(c, r)
	}
	if to := c.waiting[f.request]; to != nil {
		delete(c.waiting, f.request)
		to <- r // the channel has room
	} else if r.Number != 0 {
		c.notWanted(c.kids[r.Number])
	}
	return nil
}

// lost ends all waits for the keeper.
func (c *client) lost() {
	c.mu.Lock()
	kids := make([]*remote, 0, len(c.kids))
	for _, kid := range c.kids {
		kids = append(kids, kid)
	}
	c.mu.Unlock()
	c.link.close()
	c.link.drop()
	close(c.gone)
	for _, kid := range kids {
		kid.lose()
	}
}

// ask sends a request and waits for its answer.
func (c *client) ask(ctx context.Context, f frame, v any) (reply, error) {
	answered := make(chan reply, 1)
	c.mu.Lock()
	c.request++
	f.request = c.request
	c.waiting[f.request] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, f.request)
	}()
	if err := c.link.writeJSON(f, v); err != nil {
		return reply{}, fmt.Errorf("%w: %w", child.ErrLost, err)
	}
	select {
	case r := <-answered:
		return r, r.err()
	case <-c.gone:
		return reply{}, child.ErrLost
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
}

// tell sends a frame that is not answered.
func (c *client) tell(f frame) {
	_ = c.link.write(f) // receive notices when the connection has ended
}

// remoteOf returns the child that a reply has attached.
func (c *client) remoteOf(r reply) *remote {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kids[r.Number]
}

// answerLimit is how long a keeper may take for a request. It does not hold for input,
// which waits for the child to read.
const answerLimit = 8 * time.Second

// askWithin is ask with a time limit.
func (c *client) askWithin(ctx context.Context, limit time.Duration, f frame, v any) (reply, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, child.ErrSilent)
	defer cancel()
	r, err := c.ask(ctx, f, v)
	if err != nil && errors.Is(context.Cause(ctx), child.ErrSilent) {
		err = fmt.Errorf("%w: process %d has said nothing for %s; look whether it is stopped, or waits for its disk", child.ErrSilent, c.pid, limit)
	}
	return r, err
}

// notWanted ends a child whose start took so long that nobody waits for it.
func (c *client) notWanted(kid *remote) {
	c.loops.Go(func() {
		_ = kid.End(context.Background(), syscall.SIGKILL, 0) // there is no session to report the error to
		kid.Close()
	})
}

// start starts a child. If the keeper answers too late, the child is ended.
func (c *client) start(spec child.Spec) (child.Child, error) {
	r, err := c.askWithin(context.Background(), answerLimit, frame{kind: kindStart}, spec)
	if err != nil {
		return nil, err
	}
	return c.remoteOf(r), nil
}

// adopt attaches the children of an earlier server, in the order of their starts. Their
// streams begin, so read each of them. It is called once.
func (c *client) adopt(ctx context.Context) ([]child.Found, error) {
	c.mu.Lock()
	found := c.found
	c.found = nil
	c.mu.Unlock()
	var all []child.Found
	for _, a := range found {
		r, err := c.ask(ctx, frame{kind: kindAttach, child: a.Number}, nil)
		if err != nil {
			return all, err
		}
		all = append(all, child.Found{ID: a.ID, Child: c.remoteOf(r), Total: r.Total, Logged: r.Logged, State: r.State, Replies: r.Replies, Exited: r.Exited})
	}
	return all, nil
}

// wasReplaced reports whether another server has taken the keeper over.
func (c *client) wasReplaced() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replaced
}

// leave ends the connection; the children continue. The gauges stay mapped, since a call
// may still read one.
func (c *client) leave() {
	c.link.close()
	c.loops.Wait()
}

// byeLimit is how long a keeper that has no children may take to end.
const byeLimit = 2 * time.Second

// bye ends the connection, and with it a keeper that has no children.
func (c *client) bye() {
	c.tell(frame{kind: kindBye})
	limit := time.NewTimer(byeLimit)
	defer limit.Stop()
	select {
	case <-c.gone:
	case <-limit.C:
	}
	c.leave()
}
