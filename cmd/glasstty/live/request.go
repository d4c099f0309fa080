package live

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/internal/audit"
	"github.com/glasstty/glasstty/internal/runes"
	"github.com/glasstty/glasstty/session"
)

// A request is a message from a page.
type request struct {
	Action
	Mouse *mouse `json:"mouse"`
	// Deadline is the time after which the request must not be run, in Unix milliseconds; 0 for
	// none. A server that was suspended must not run requests that the person has long given up on.
	Deadline int64 `json:"by"`
}

// checkDeadline returns an error if Deadline has passed.
func (r *request) checkDeadline(now time.Time) error {
	if ms := now.UnixMilli() - r.Deadline; r.Deadline > 0 && ms > 0 {
		return fmt.Errorf("the request arrived %.1f s too late and was not run; try again", float64(ms)/1000)
	}
	return nil
}

// maxKeys is the maximum number of keys in one message. maxWatches is the maximum number of small screens.
const (
	maxKeys    = 1000
	maxWatches = 1000
)

// A Key is literal text or, if Text is "", a key name as in the tool send_keys.
type Key struct {
	Name string `json:"k,omitempty"`
	Text string `json:"t,omitempty"`
}

// A mouse is a mouse event over a cell.
type mouse struct {
	Action int `json:"a"` // emulator.MouseAction
	Button int `json:"b"` // as in emulator.Mouse
	Row    int `json:"r"` // from 0
	Col    int `json:"c"` // from 0
	Mods   int `json:"m"` // emulator.Mods
}

// handle runs the request in a message, or queues or starts it. The page gets an answer when the request
// is done. Requests that type, or that change who may type, are queued. Unless the queue is full, other
// requests do not wait for queued ones, so that a program that reads no input can still be ended.
func (c *conn) handle(data []byte) {
	c.srv.conns.Use(c.id)
	r := &request{}
	err := json.Unmarshal(data, r)
	if err == nil {
		err = r.checkDeadline(time.Now())
	}
	if err != nil {
		c.answer(r, err)
		return
	}
	switch r.Do {
	case "ping":
		c.answer(r, nil)
	case "type", "paste", "mouse", "secret", "take", "pause", "give":
		c.enqueue(r, int64(len(data)))
	case "end", "approve", "forget":
		c.runSlow(r)
	default:
		c.answer(r, c.actLogged(r))
	}
}

// answer sends the page a message that a request is done, or failed with err.
func (c *conn) answer(r *request, err error) {
	m := Message{Type: "done", N: r.N}
	if err != nil {
		m.Type, m.Error = "failed", err.Error()
	}
	c.send(func() any { return m })
}

// maxWaiting is the maximum size of conn.queue, in bytes. Each request counts as at least minWaiting
// and at most maxWaiting bytes.
const (
	maxWaiting = 1 << 20
	minWaiting = 1 << 10
)

// A queued is a request in conn.queue, with the number of bytes for which the request counts.
type queued struct {
	request *request
	size    int64
}

// enqueue appends a request of size bytes to c.queue. If the queue is full, it waits, so that a page
// cannot send faster than its programs read.
func (c *conn) enqueue(r *request, size int64) {
	size = min(max(size, minWaiting), maxWaiting)
	if c.room.Acquire(c.ctx, size) == nil { // otherwise the connection has ended
		c.queue <- queued{r, size}
	}
}

// typeAll runs the requests in c.queue, one after the other, until the connection ends.
func (c *conn) typeAll() {
	for {
		select {
		case q := <-c.queue:
			c.room.Release(q.size)
			c.answer(q.request, c.actLogged(q.request))
		case <-c.ctx.Done():
			return
		}
	}
}

// runSlow runs a slow request in its own goroutine. If the page has maxSlow of them running, this one fails.
func (c *conn) runSlow(r *request) {
	select {
	case c.slow <- struct{}{}:
	default:
		c.answer(r, errBusy)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return
	}
	c.goroutines.Go(func() {
		c.answer(r, c.actLogged(r))
		<-c.slow
	})
}

// act runs a request, even if the page disconnects. If the person's access or the server ends, typing is cancelled.
func (c *conn) act(r *request) error {
	if r.Do == "watch" {
		return c.setWatches(r)
	}
	if err := c.visitor.typingError(); err != nil {
		return err
	}
	s, err := c.srv.opt.Manager.Session(r.ID)
	if err != nil {
		return err
	}
	person, ctx := s.As(c.visitor.Person), audit.WithActor(c.typing, c.visitor.actor())
	switch r.Do {
	case "pause":
		return person.Pause()
	case "take":
		return person.TakeOver(r.Force)
	case "give":
		return person.GiveBack(r.Text, r.Force)
	case "approve":
		return person.Approve(ctx, r.Text)
	case "refuse":
		return person.Refuse(r.Text)
	case "secret":
		return person.TypeSecret(ctx, r.Text)
	case "resize":
		return person.Resize(r.Rows, r.Cols)
	case "forget":
		return c.srv.opt.Manager.Delete(s.ID())
	case "end":
		return person.End(ctx)
	case "type", "paste", "mouse":
		in, err := r.input()
		if err != nil {
			return err
		}
		_, err = person.Type(ctx, in)
		return err
	}
	return fmt.Errorf("unknown action %q", runes.Clip(r.Do, maxShown))
}

// input returns the input that a request types.
func (r *request) input() (session.Input, error) {
	in := session.Input{Text: r.Text, Paste: r.Do == "paste"}
	if len(r.Keys) > maxKeys {
		return in, fmt.Errorf("%d keys in one message; the maximum is %d", len(r.Keys), maxKeys)
	}
	for _, k := range r.Keys {
		press := session.KeyPress{Text: k.Text}
		if k.Text == "" {
			parsed, n, err := emulator.ParseKey(k.Name)
			if err != nil {
				return in, err
			}
			press = session.KeyPress{Key: parsed, Repeat: n}
		}
		in.Keys = append(in.Keys, press)
	}
	if m := r.Mouse; m != nil {
		in.Mouse = []emulator.Mouse{{
			Action: emulator.MouseAction(m.Action), Button: m.Button,
			At: emulator.Point{Row: m.Row, Col: m.Col}, Mods: emulator.Mods(m.Mods),
		}}
	}
	return in, nil
}

// setWatches starts and ends watches, so that the page gets frames of the screens that r names and of no
// others. It skips the screen of the session in which the visitor runs.
func (c *conn) setWatches(r *request) error {
	if len(r.Small) > maxWatches {
		return fmt.Errorf("%d screens in one message; the maximum is %d", len(r.Small), maxWatches)
	}
	want := map[string]bool{}
	for _, id := range r.Small {
		want[id] = false
	}
	if r.Large != "" {
		want[r.Large] = true
	}
	c.mu.Lock()
	for id, w := range c.watches {
		if _, ok := want[id]; !ok {
			w.end()
			delete(c.watches, id)
		}
	}
	c.mu.Unlock()
	for id, large := range want {
		s, err := c.srv.opt.Manager.Session(id)
		if err != nil {
			continue // the session was removed meanwhile; followAll reports that
		}
		if s.ID() == c.visitor.Session {
			continue // the screen of the visitor's session would change with every frame
		}
		c.watch(s, large)
	}
	return nil
}
