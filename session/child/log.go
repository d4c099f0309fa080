package child

import (
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// A childLog is the log of one child. Its zero value logs nothing. The child's mutex keeps
// its events in order.
type childLog struct {
	w     *eventlog.Writer // nil if nothing is logged
	store eventlog.Store
	began time.Time
}

// openLog begins the child's log. A full or broken disk does not prevent the child's start:
// the log reports the failure and tries again.
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
	c.log = childLog{w, store, now}
	return nil
}

// close ends the log.
func (l *childLog) close() {
	if l.w != nil {
		_ = l.w.Close() // Status reports the error
	}
}

// discard ends and removes the log of a child that could not be started: the next child may
// have its name.
func (l *childLog) discard() {
	l.close()
	if d, ok := l.store.(interface{ Discard() error }); ok {
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
	if w := c.log.w; w != nil && (c.owner.opt.Log.Direct || w.Full()) {
		_ = w.Flush() // Status reports the error
	}
}

// rotate begins a segment if one is due, and returns its offset.
func (l *childLog) rotate() (offset int64, ok bool) {
	if l.w == nil {
		return 0, false
	}
	return l.w.Rotate(time.Since(l.began))
}

// end returns the offset of the next event.
func (l *childLog) end() int64 {
	if l.w == nil {
		return 0
	}
	return l.w.End()
}
