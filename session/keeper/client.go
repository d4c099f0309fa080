package keeper

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
)

// A client is the server's side of a keeper. It is safe for concurrent use.
type client struct {
	link   *link
	pid    int // of the keeper
	gauges *gauges
	dir    string // the data directory
	loops  sync.WaitGroup
	gone   chan struct{} // closed when the connection has ended

	replaced  bool          // another server has taken over the keeper; set before gone is closed
	takenOver chan struct{} // closed at the end of the connection if replaced is set

	mu      sync.Mutex              // guards what follows
	kids    map[uint32]*remote      // attached children by number
	waiting map[uint32]chan<- reply // receivers of answers, by the number of the request
	request uint32                  // the number of the last request
	found   []childInfo             // children started by an earlier server
}

// A reply is an answer, and the child whose stream begins with the answer, or nil.
type reply struct {
	answer
	kid *remote
}

// connect exchanges hello and welcome with the keeper, and returns the client for the connection.
// The client closes takenOver when another server has taken over the keeper.
func connect(conn *net.UnixConn, opt OwnerOptions, takenOver chan struct{}) (*client, error) {
	c := &client{
		link: newLink(conn), dir: opt.Dir, gone: make(chan struct{}), takenOver: takenOver,
		kids: map[uint32]*remote{}, waiting: map[uint32]chan<- reply{},
	}
	if err := c.hello(opt); err != nil {
		c.link.close()
		return nil, err
	}
	c.loops.Go(c.receive)
	return c, nil
}

// hello sends the hello and handles the keeper's welcome.
func (c *client) hello(opt OwnerOptions) error {
	if err := c.link.write(message{Body: hello{Version: version, PID: os.Getpid(), Replace: opt.Replace, Redact: opt.Redact}}, nil); err != nil {
		return err
	}
	m, err := c.link.read()
	if err != nil {
		return err
	}
	w, ok := m.Body.(welcome)
	switch {
	case !ok:
		return errMessage
	case w.Version != version:
		return fmt.Errorf("%w: process %d speaks version %d, this server speaks %d; end its sessions with the glasstty that started them", ErrVersion, w.PID, w.Version, version)
	case w.Within:
		return fmt.Errorf("%w (process %d); start it outside of them", ErrWithin, w.PID)
	case w.Unredacted:
		return fmt.Errorf("%w (process %d); end them, or give another --data-dir", ErrUnredacted, w.PID)
	case w.Server != 0:
		return fmt.Errorf("%w: process %d", ErrBusy, w.Server)
	}
	file := c.link.file("gauges")
	if file == nil {
		return errMessage
	}
	c.pid, c.found = w.PID, w.Children
	if c.gauges, err = mapGauges(file); err != nil {
		return err
	}
	return file.Close()
}

// receive handles the keeper's messages until the connection ends.
func (c *client) receive() {
	for {
		m, err := c.link.read()
		if err == nil {
			err = c.handle(m)
		}
		if err != nil {
			c.disconnected()
			return
		}
	}
}

// handle acts on one message. An error ends the connection.
func (c *client) handle(m message) error {
	if a, ok := m.Body.(answer); ok {
		return c.answered(m, a)
	}
	if m.Body == replaced {
		c.replaced = true
		return nil
	}
	c.mu.Lock()
	kid := c.kids[m.Child]
	c.mu.Unlock()
	if kid == nil {
		return nil // the session has closed the child meanwhile
	}
	kid.setStatus(m.Status)
	switch body := m.Body.(type) {
	case child.Event:
		kid.enqueue(body)
	case child.Exit:
		kid.recordExit(body)
	case signal: // the keeper sends no other signal than drained for a child
		kid.endQueue()
	default:
		return fmt.Errorf("%w: %T", errMessage, body)
	}
	return nil
}

// answered passes an answer to the goroutine that waits for it. If the answer begins a child's
// stream, answered first registers the child, so that handle can pass the stream on.
func (c *client) answered(m message, a answer) error {
	r := reply{answer: a}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.Info.Number != 0 {
		var master *os.File
		if !a.Info.Pipe {
			if master = c.link.file("terminal"); master == nil {
				return fmt.Errorf("%w: a child without its terminal", errMessage)
			}
		}
		r.kid = newRemote(c, a.Info, master)
		c.kids[a.Info.Number] = r.kid
	}
	if to := c.waiting[m.Request]; to != nil {
		delete(c.waiting, m.Request)
		to <- r // does not block: the channel has room for one reply
	} else if r.kid != nil && slices.ContainsFunc(c.found, func(found childInfo) bool { return found.Number == a.Info.Number }) {
		// TakeOver no longer waits for this child. The child keeps running, for a later server.
		delete(c.kids, a.Info.Number)
		r.kid.markLost()
	} else if r.kid != nil {
		// Start no longer waits, so no session will own this child.
		c.loops.Go(func() {
			_ = r.kid.End(context.Background(), syscall.SIGKILL, 0) // there is no session to report the error to
			r.kid.Close()
		})
	}
	return nil
}

// disconnected is called when the connection has ended. It ends the waits for answers, and calls
// markLost for all children.
func (c *client) disconnected() {
	c.mu.Lock()
	kids := slices.Collect(maps.Values(c.kids))
	c.mu.Unlock()
	c.link.close()
	c.link.closeUntaken()
	if c.replaced {
		close(c.takenOver)
	}
	close(c.gone)
	for _, kid := range kids {
		kid.markLost()
	}
}

// answerLimit is how long a keeper may take to start or resize a child. To end a child, it may
// take twice as long after the grace period.
const answerLimit = 8 * time.Second

// ask sends a request and waits for its answer. If limit is not 0, ask waits at most for limit.
func (c *client) ask(ctx context.Context, limit time.Duration, m message) (reply, error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, child.ErrSilent)
		defer cancel()
	}
	answered := make(chan reply, 1)
	c.mu.Lock()
	c.request++
	m.Request = c.request
	c.waiting[m.Request] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, m.Request)
	}()
	if err := c.link.write(m, nil); err != nil {
		return reply{}, fmt.Errorf("%w: %w", child.ErrLost, err)
	}
	select {
	case r := <-answered:
		return r, r.err()
	case <-c.gone:
		return reply{}, child.ErrLost
	case <-ctx.Done():
		if context.Cause(ctx) == child.ErrSilent {
			return reply{}, fmt.Errorf("%w: process %d has not answered for %s; check whether it is stopped or waits for its disk", child.ErrSilent, c.pid, limit)
		}
		return reply{}, ctx.Err()
	}
}

// send sends a message that needs no answer.
func (c *client) send(m message) {
	_ = c.link.write(m, nil) // if the connection has ended, receive returns too
}

// leaveLimit is how long leave waits for the keeper to end the connection. A keeper without children
// ends the connection by ending itself.
const leaveLimit = 2 * time.Second

// leave ends the connection; the children continue.
func (c *client) leave() {
	_ = c.link.conn.CloseWrite() // it may have ended
	limit := time.NewTimer(leaveLimit)
	defer limit.Stop()
	select {
	case <-c.gone:
	case <-limit.C:
	}
	c.link.close()
	c.loops.Wait()
}
