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
	// frameEvery is the time between two frames of the large screen that changes all the
	// time, and smallEvery of a small one.
	frameEvery = 16 * time.Millisecond
	smallEvery = 250 * time.Millisecond
	// factsEvery is the least time between two looks at a session's facts, and
	// factsAgain when they are looked at although nothing was seen to change:
	// a program that asks for a password changes only the terminal's modes.
	factsEvery = 200 * time.Millisecond
	factsAgain = 2 * time.Second
	// writeLimit is the default of Options.WriteLimit.
	writeLimit = 10 * time.Second
	// maxSlow is how many requests of a page are done at once beside its typing.
	maxSlow = 8
)

// A conn is the connection of one page. Messages to the page are written one at
// a time, by the goroutines that follow a session each.
type conn struct {
	srv *Server
	id  string
	who Visitor

	ctx context.Context // ends with the connection, with the reason as its cause
	end context.CancelCauseFunc
	run sync.WaitGroup
	// typing ends what is typed. It outlives the connection: half a paste is worse
	// than none. But nothing goes on of whoever is not let in any more.
	typing    context.Context
	endTyping context.CancelCauseFunc

	line *line         // what is to be typed
	slow chan struct{} // holds one for each request that is done aside

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

// newConn returns a connection of a request with this context.
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

// begin greets the page and follows the set of sessions.
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

// close ends the connection and returns when nothing of it runs any more.
func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end(nil)
	c.run.Wait()
	c.endTyping(nil)
	c.srv.forget(c)
}

// say writes the message that make returns, when its turn has come; nil is none.
// A page that does not read ends its connection.
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

// followAll tells the page about each session there is, until the end.
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
				told := c.tell(s, "") // here, so that the page has them in their order
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

// followFacts tells the page what it shows of a session beside its screen,
// whenever that differs.
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
		_, _ = s.Changed(wait, seen) // the time is up, or the end is near: look again
		cancel()
		if ctx.Err() != nil {
			return
		}
	}
}

// tell sends the facts of a session when they differ from told, and returns what
// the page has been told by then.
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

// watch shows the page the screen of a session from now on, as the large one or
// a small one.
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

// unwatch stops showing a session's screen.
func (c *conn) unwatch(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.watches[id]; ok {
		w.end()
		delete(c.watches, id)
	}
}

// followScreen sends frames of a session's screen.
func (c *conn) followScreen(ctx context.Context, s *session.Session, every time.Duration) {
	var (
		rev    uint64
		size   emulator.Size
		cursor emulator.Cursor
		next   time.Time // the next frame may be sent
	)
	for {
		seen := s.State()
		// Frames keep their pace though one of them was late.
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

// pause waits for d and reports whether ctx goes on.
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
