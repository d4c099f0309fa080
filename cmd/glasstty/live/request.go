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
	// Mouse is an action over a cell.
	Mouse *mouse `json:"mouse"`
	// By is the time after which the request must not be run, in Unix milliseconds; 0 for no
	// limit. A server that was suspended must not run requests that the person has long given
	// up on.
	By int64 `json:"by"`
}

// checkDeadline returns an error if the time By has passed.
func (r *request) checkDeadline(now time.Time) error {
	if ms := now.UnixMilli() - r.By; r.By > 0 && ms > 0 {
		return fmt.Errorf("the request arrived %.1f s too late and was not run; try again", float64(ms)/1000)
	}
	return nil
}

// maxKeys and maxWatches are the maximum numbers of keys and of screens in one message.
const (
	maxKeys    = 1000
	maxWatches = 1000
)

// A Key is a key name, as in send_keys, or literal text.
type Key struct {
	Name string `json:"k,omitempty"`
	Text string `json:"t,omitempty"`
}

// A mouse is a mouse event.
type mouse struct {
	Action int `json:"a"` // emulator.MouseAction
	Button int `json:"b"`
	Row    int `json:"r"`
	Col    int `json:"c"`
	Mods   int `json:"m"`
}

// handle starts the request in a message; the page gets an answer when the request is done.
// Requests that type wait in line. Other requests do not wait for them, so that a program that
// reads no input can still be ended.
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
		c.answer(r, c.logged(r))
	}
}

// answer tells the page that a request is done, or why it is not.
func (c *conn) answer(r *request, err error) {
	m := Message{Type: "done", N: r.N}
	if err != nil {
		m.Type, m.Error = "failed", err.Error()
	}
	c.send(func() any { return m })
}

// maxWaiting is the maximum size in bytes of the requests that wait to be typed. Each counts as at
// least minWaiting bytes. A request of more than maxWaiting
// bytes waits alone.
const (
	maxWaiting = 1 << 20
	minWaiting = 1 << 10
)

// A queued is a request that waits to be typed, and the part of maxWaiting that it uses.
type queued struct {
	request *request
	size    int64
}

// enqueue appends a request of size bytes to those that wait to be typed. It waits for room, so
// that a page cannot send faster than its programs read.
func (c *conn) enqueue(r *request, size int64) {
	size = min(max(size, minWaiting), maxWaiting)
	if c.room.Acquire(c.ctx, size) == nil { // otherwise the connection has ended
		c.waiting <- queued{r, size}
	}
}

// typeAll runs the requests that wait to be typed, one after the other, until the connection
// ends.
func (c *conn) typeAll() {
	for {
		select {
		case q := <-c.waiting:
			c.room.Release(q.size)
			c.answer(q.request, c.logged(q.request))
		case <-c.ctx.Done():
			return
		}
	}
}

// runSlow runs a request that may be slow in a goroutine of its own.
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
		c.answer(r, c.logged(r))
		<-c.slow
	})
}

// act runs a request to its end, even if the page disconnects meanwhile.
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
	who, ctx := s.As(c.visitor.Person), audit.WithActor(c.typing, c.visitor.actor())
	switch r.Do {
	case "pause":
		return who.Pause()
	case "take":
		return who.TakeOver(r.Force)
	case "give":
		return who.GiveBack(r.Text, r.Force)
	case "approve":
		return who.Approve(ctx, r.Text)
	case "refuse":
		return who.Refuse(r.Text)
	case "secret":
		return who.TypeSecret(ctx, r.Text)
	case "resize":
		return who.Resize(r.Rows, r.Cols)
	case "forget":
		return c.srv.opt.Manager.Delete(s.ID())
	case "end":
		return who.End(ctx)
	case "type", "paste", "mouse":
		in, err := r.input()
		if err != nil {
			return err
		}
		_, err = who.Type(ctx, in)
		return err
	}
	return fmt.Errorf("unknown action %q", runes.Clip(r.Do, maxShown))
}

// input returns what a request types.
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

// setWatches starts and ends watches so that the page gets frames of exactly the screens that r
// names.
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
			continue // it was removed meanwhile; followAll reports that
		}
		if s.ID() == c.visitor.Session {
			continue // its own screen would change with every frame
		}
		c.watch(s, large)
	}
	return nil
}
