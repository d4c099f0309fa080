package live

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

const (
	// frameEvery is the least time between two frames of a screen that the page shows
	// large, and smallEvery of one that it shows small.
	frameEvery = 16 * time.Millisecond
	smallEvery = 250 * time.Millisecond
	// factsEvery is the least time between two checks of a session's facts. factsAgain
	// is when they are checked even without a change of the session's state: a program
	// that asks for a password changes only the terminal's modes.
	factsEvery = 200 * time.Millisecond
	factsAgain = 2 * time.Second
	// writeLimit is the default of Options.WriteLimit.
	writeLimit = 10 * time.Second
	// maxSlow is how many slow requests of a page may run at once (see aside).
	maxSlow = 8
)

// A conn is the connection of one page. Several goroutines send messages to the page,
// one or two for each session; writing makes them take turns.
type conn struct {
	srv *Server
	id  string
	who Visitor

	ctx context.Context // ends with the connection, with the reason as its cause
	end context.CancelCauseFunc
	run sync.WaitGroup
	// typing is the context of requests that type. It outlives ctx, because half a
	// paste is worse than none. It ends early only when the person's access ends.
	typing    context.Context
	endTyping context.CancelCauseFunc

	line *line         // requests that type, in order
	slow chan struct{} // has one element for each request that aside runs

	writing sync.Mutex // held while a message is made and written
	write   func(context.Context, []byte) error

	mu      sync.Mutex // guards what follows
	closed  bool
	watches map[string]*watch
}

// A watch is a screen that the page shows.
type watch struct {
	large bool
	end   context.CancelFunc
}

// newConn returns a connection that ends when ctx, the context of its request, does.
func newConn(ctx context.Context, srv *Server, id string, who Visitor, write func(context.Context, []byte) error) *conn {
	c := &conn{srv: srv, id: id, who: who, write: write, watches: map[string]*watch{}, line: newLine(), slow: make(chan struct{}, maxSlow)}
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

// begin sends the hello message, and starts the goroutines that follow the sessions and
// that type.
func (c *conn) begin() {
	c.say(func() any {
		hello := map[string]any{
			"t": "hello", "conn": c.id, "boot": c.srv.boot,
			"name": c.who.Person.String(), "type": c.who.Type,
			"now":   unix(time.Now()),
			"grace": session.HoldGrace.Seconds(),
		}
		if err := c.who.refused(); err != nil {
			hello["error"] = err.Error()
			hello["id"] = c.who.Session
		}
		return hello
	})
	c.run.Go(c.followAll)
	c.run.Go(c.typeAll)
}

// close ends the connection and returns when all its goroutines have ended.
func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end(nil)
	c.run.Wait()
	c.endTyping(nil)
	c.srv.forget(c)
}

// say waits for its turn, then calls make and writes the message that it returns; nil
// means that there is nothing to write. If the page does not read within the write
// limit, its connection ends.
func (c *conn) say(make func() any) {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	m := make()
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
			c.srv.opt.Logger.Info("live page", "person", c.who.Person.String(), "err", err)
		}
		c.end(err)
	}
}

// followAll tells the page about all sessions, and about those that come and go, until
// the connection ends.
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
			// The page shows sessions in the order in which it first hears of them.
			order := map[*session.Session]int{}
			for _, s := range all {
				order[s] = urgency(s)
			}
			slices.SortStableFunc(all, func(a, b *session.Session) int { return order[a] - order[b] })
		}
		there := map[string]bool{}
		for _, s := range all {
			there[s.ID()] = true
			if known[s.ID()] == nil {
				ctx, end := context.WithCancel(c.ctx)
				known[s.ID()] = end
				told := c.tell(s, "") // not in the goroutine, so that the order is kept
				c.run.Go(func() { c.followFacts(ctx, s, told) })
			}
		}
		for id, end := range known {
			if !there[id] {
				end()
				delete(known, id)
				c.unwatch(id)
				c.say(func() any { return map[string]any{"t": "gone", "id": id} })
			}
		}
		if len(all) == 0 {
			c.say(func() any { return map[string]any{"t": "none"} })
		}
	}
}

// followFacts sends a session's facts to the page whenever they change. told is the facts
// that the page has, as JSON.
func (c *conn) followFacts(ctx context.Context, s *session.Session, told string) {
	leave, err := s.As(c.who.Person).Attend()
	if err != nil {
		c.srv.opt.Logger.Warn("live page", "session", s.ID(), "err", err)
	} else {
		defer leave()
	}
	for {
		seen := s.State()
		told = c.tell(s, told)
		if !pause(ctx, factsEvery) {
			return
		}
		wait, cancel := context.WithTimeout(ctx, factsAgain)
		_, _ = s.Changed(wait, seen) // an error is a timeout or the end; check again either way
		cancel()
		if ctx.Err() != nil {
			return
		}
	}
}

// tell sends the facts of a session when they differ from told, and returns the facts
// that the page has afterwards.
func (c *conn) tell(s *session.Session, told string) string {
	c.say(func() any {
		b, err := json.Marshal(factsOf(s, c.who))
		if err != nil || string(b) == told {
			return nil
		}
		told = string(b)
		return json.RawMessage(b)
	})
	return told
}

// watch begins to send frames of a session's screen, at the rate of a large or a small one.
func (c *conn) watch(s *session.Session, large bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
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
	every := smallEvery
	if large {
		every = frameEvery
	}
	c.run.Go(func() { c.followScreen(ctx, s, every) })
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

// followScreen sends a frame of a session's screen whenever it has changed, at most one in
// every.
func (c *conn) followScreen(ctx context.Context, s *session.Session, every time.Duration) {
	var (
		rev    uint64
		size   emulator.Size
		cursor emulator.Cursor
		next   time.Time // when the next frame may be sent
	)
	for {
		seen := s.State()
		// Frames keep their pace even when one of them was late.
		if next = next.Add(every); time.Until(next) < 0 {
			next = time.Now().Add(every)
		}
		c.say(func() any {
			if ctx.Err() != nil {
				return nil
			}
			snap := s.Snapshot(0)
			if snap.Revision == rev && snap.Cursor == cursor && snap.Size == size {
				return nil
			}
			f := newFrame(s.ID(), snap, rev, size)
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

// pause waits for d. It returns false at once when ctx ends.
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
