package live

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const (
	// frameInterval is the minimum time between two frames of a screen that the page shows large.
	// smallFrameInterval is the minimum for a screen that it shows small.
	frameInterval      = 16 * time.Millisecond
	smallFrameInterval = 250 * time.Millisecond
	// minFactsInterval is the minimum time between two checks of a session's facts. After
	// maxFactsInterval the facts are checked even if the session's state has not changed, because a
	// program that asks for a password may change only the terminal's modes.
	minFactsInterval = 200 * time.Millisecond
	maxFactsInterval = 2 * time.Second
	// writeLimit is the default of Options.WriteLimit.
	writeLimit = 10 * time.Second
	// maxSlow is the maximum number of slow requests of a page that run at once (see runSlow).
	maxSlow = 8
)

// A conn is the connection of one page. Several goroutines send messages, one after the other.
type conn struct {
	srv     *Server
	id      string
	visitor Visitor

	ctx        context.Context         // ends with the connection; the cause is the reason
	end        context.CancelCauseFunc // ends ctx
	goroutines sync.WaitGroup
	// typing is the context of act. When the page disconnects, ctx ends but typing does not, so that a
	// paste that has begun is finished. typing ends if the person's access or the server ends.
	typing    context.Context
	endTyping context.CancelCauseFunc

	queue chan queued         // the requests that typeAll runs, in order
	room  *semaphore.Weighted // limits queue to maxWaiting bytes
	slow  chan struct{}       // holds one element for each request that runSlow runs

	writing sync.Mutex                          // held while a message is created and written
	write   func(context.Context, []byte) error // sends one message, which is JSON

	mu      sync.Mutex        // guards watches, and makes sure that no goroutine starts after close has ended ctx
	watches map[string]*watch // by session ID
}

// A watch is a screen that the page shows.
type watch struct {
	large bool               // the page shows the screen large, so it gets more frames
	end   context.CancelFunc // ends followScreen
}

// newConn returns a connection that ends with ctx, the context of the HTTP request. If the cause of ctx
// is not context.Canceled, typing ends too.
func newConn(ctx context.Context, srv *Server, id string, v Visitor, write func(context.Context, []byte) error) *conn {
	c := &conn{
		srv: srv, id: id, visitor: v, write: write, watches: map[string]*watch{},
		queue: make(chan queued, maxWaiting/minWaiting), room: semaphore.NewWeighted(maxWaiting), slow: make(chan struct{}, maxSlow),
	}
	c.ctx, c.end = context.WithCancelCause(srv.ctx)
	c.typing, c.endTyping = context.WithCancelCause(srv.ctx)
	context.AfterFunc(ctx, func() {
		why := context.Cause(ctx)
		if why != context.Canceled {
			c.endTyping(why)
		}
		c.end(why)
	})
	return c
}

// begin sends the hello message and starts the goroutines followAll and typeAll.
func (c *conn) begin() {
	c.send(func() any {
		h := hello{
			Message: Message{Type: "hello"}, Conn: c.id, Boot: c.srv.boot,
			Name: c.visitor.Person.String(), MayType: c.visitor.MayType,
			Now: unixSeconds(time.Now()),
		}
		if err := c.visitor.typingError(); err != nil {
			h.Error, h.ID = err.Error(), c.visitor.Session
		}
		return h
	})
	c.goroutines.Go(c.followAll)
	c.goroutines.Go(c.typeAll)
}

// close ends the connection and returns when all its goroutines have ended.
func (c *conn) close() {
	c.mu.Lock()
	c.end(nil)
	c.mu.Unlock()
	c.goroutines.Wait()
	c.endTyping(nil)
	c.srv.forget(c)
}

// send calls build and writes the message that build returns, or nothing if build returns nil. Only one
// send runs at a time. If writing fails or exceeds Options.WriteLimit, the connection ends.
func (c *conn) send(build func() any) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	m := build()
	if m == nil {
		return
	}
	data, err := json.Marshal(m)
	if err == nil {
		ctx, cancel := context.WithTimeout(c.ctx, c.srv.opt.WriteLimit)
		defer cancel()
		err = c.write(ctx, data)
	}
	if err != nil {
		if c.ctx.Err() == nil {
			c.srv.opt.Logger.Info("live page", "person", c.visitor.Person.String(), "err", err)
		}
		c.end(err)
	}
}

// followAll sends the page the facts of all sessions, including new ones, and the IDs of removed
// sessions, until the connection ends. If there are no sessions, it sends a message of the type "none".
func (c *conn) followAll() {
	known := map[string]context.CancelFunc{}
	defer func() {
		for _, end := range known {
			end()
		}
	}()
	for seen := uint64(0); ; {
		all, now, err := c.srv.opt.Manager.Sessions(c.ctx, seen)
		if err != nil {
			return
		}
		seen = now
		if len(known) == 0 {
			// The page shows sessions in the order in which it first receives them.
			order := map[*session.Session]int{}
			for _, s := range all {
				order[s] = urgency(s)
			}
			slices.SortStableFunc(all, func(a, b *session.Session) int { return order[a] - order[b] })
		}
		current := map[string]bool{}
		for _, s := range all {
			current[s.ID()] = true
			if known[s.ID()] == nil {
				ctx, end := context.WithCancel(c.ctx)
				known[s.ID()] = end
				sent := c.sendFacts(s, "") // not in the goroutine, to keep the order
				c.goroutines.Go(func() { c.followFacts(ctx, s, sent) })
			}
		}
		for id, end := range known {
			if !current[id] {
				end()
				delete(known, id)
				c.unwatch(id)
				c.send(func() any { return Message{Type: "gone", ID: id} })
			}
		}
		if len(all) == 0 {
			c.send(func() any { return Message{Type: "none"} })
		}
	}
}

// followFacts sends a session's facts to the page whenever they change, until ctx ends. sent is the JSON
// of the facts that the page already has.
func (c *conn) followFacts(ctx context.Context, s *session.Session, sent string) {
	defer s.As(c.visitor.Person).Attend()()
	for {
		seen := s.State()
		sent = c.sendFacts(s, sent)
		if !pause(ctx, minFactsInterval) {
			return
		}
		wait, cancel := context.WithTimeout(ctx, maxFactsInterval)
		_, _ = s.Changed(wait, seen) // after a timeout too, the facts are checked
		cancel()
		if ctx.Err() != nil {
			return
		}
	}
}

// sendFacts sends a session's facts as JSON, unless they equal sent, and returns the JSON that the page has now.
func (c *conn) sendFacts(s *session.Session, sent string) string {
	c.send(func() any {
		b, err := json.Marshal(factsOf(s, c.visitor))
		if err != nil || string(b) == sent {
			return nil
		}
		sent = string(b)
		return json.RawMessage(b)
	})
	return sent
}

// watch starts sending frames of a session's screen, at the interval for a large or a small screen.
func (c *conn) watch(s *session.Session, large bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	if w, ok := c.watches[s.ID()]; ok {
		if w.large == large {
			return
		}
		w.end()
	}
	ctx, end := context.WithCancel(c.ctx)
	c.watches[s.ID()] = &watch{large: large, end: end}
	interval := smallFrameInterval
	if large {
		interval = frameInterval
	}
	c.goroutines.Go(func() { c.followScreen(ctx, s, interval) })
}

// unwatch stops sending frames of a session's screen.
func (c *conn) unwatch(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watches[id]; ok {
		w.end()
		delete(c.watches, id)
	}
}

// followScreen sends a frame whenever a session's screen has changed, at most one per interval.
func (c *conn) followScreen(ctx context.Context, s *session.Session, interval time.Duration) {
	var (
		rev    uint64
		size   emulator.Size
		cursor emulator.Cursor
		next   time.Time // when the next frame may be sent
	)
	for {
		seen := s.State()
		// The next frame is due one interval after the last one was due; if that is past, one interval from now.
		if next = next.Add(interval); time.Until(next) < 0 {
			next = time.Now().Add(interval)
		}
		c.send(func() any {
			if ctx.Err() != nil {
				return nil
			}
			snap := s.Snapshot(0)
			if snap.Revision == rev && snap.Cursor == cursor && snap.Size == size {
				return nil
			}
			f := newFrame(s.ID(), "", snap, rev, size)
			rev, size, cursor = snap.Revision, snap.Size, snap.Cursor
			return f
		})
		if !pause(ctx, time.Until(next)) {
			return
		}
		if _, err := s.Changed(ctx, seen); err != nil {
			return
		}
	}
}

// pause waits for d and returns true. If ctx ends first, it returns false at once.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
