package child

import (
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// A childLog is the log of one child. Its zero value logs nothing. The child's
// mutex guards it.
type childLog struct {
	w      *eventlog.Writer // nil: nothing is logged
	store  eventlog.Store
	direct bool // write at once: another process reads the log
	began  time.Time
	size   Size
	last   eventlog.Status // after it was closed
}

// openLog begins the child's log. A full or broken disk does not keep the child from
// starting: the log reports the failure and tries again.
func (c *localChild) openLog() error {
	o := c.owner.opt
	if o.NewStore == nil {
		return nil
	}
	store, err := o.NewStore(c.spec)
	if err != nil {
		return err
	}
	now := time.Now()
	w, err := eventlog.Create(store, eventlog.Start{
		Session: c.spec.ID, Command: c.spec.Command, Time: now,
		Rows: c.spec.Size.Rows, Cols: c.spec.Size.Cols, Pipe: c.spec.Pipe,
	}, o.Log)
	if w == nil {
		return err
	}
	c.log = childLog{w: w, store: store, direct: o.Log.Direct, began: now, size: c.spec.Size}
	return nil
}

// closeLog ends the child's log.
func (c *localChild) closeLog() {
	c.mu.Lock()
	w := c.log.w
	c.log.w = nil
	c.mu.Unlock()
	if w == nil {
		return
	}
	_ = w.Close() // Status reports the error
	c.mu.Lock()
	c.log.last = w.Status()
	c.mu.Unlock()
}

// discardLog removes the log of a child that could not be started: the next child may
// have its name.
func (c *localChild) discardLog() {
	if d, ok := c.log.store.(interface{ Discard() error }); ok {
		_ = d.Discard() // the next start reports files that are left
	}
}

// add appends an event that happens now. flushLog writes it to the disk.
func (l *childLog) add(e eventlog.Event) {
	if l.w != nil {
		e.At = time.Since(l.began)
		l.w.Append(e)
	}
}

// flushLog writes the added events if another process reads the log, or if there are
// many. The child's mutex must not be held: the disk may be slow.
func (c *localChild) flushLog() {
	c.mu.Lock()
	w, direct := c.log.w, c.log.direct
	c.mu.Unlock()
	if w != nil && (direct || w.Full()) {
		_ = w.Flush() // Status reports the error
	}
}

// resize appends a resize.
func (l *childLog) resize(s Size) {
	l.size = s
	l.add(eventlog.Event{Kind: eventlog.Resize, Rows: s.Rows, Cols: s.Cols})
}

// turn begins a segment when that is due, and returns where it begins.
func (l *childLog) turn() (offset int64, ok bool) {
	if l.w == nil {
		return 0, false
	}
	now := time.Since(l.began)
	if !l.w.Due(now) {
		return 0, false
	}
	return l.w.Turn(eventlog.Turn{At: now, Rows: l.size.Rows, Cols: l.size.Cols})
}

// end returns where the next event will begin.
func (l *childLog) end() int64 {
	if l.w == nil {
		return 0
	}
	return l.w.End()
}
