package child

import (
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// A childLog is the log of one child. The child's mutex keeps its events in order.
type childLog struct {
	*eventlog.Writer
	store eventlog.Store // contains the files that the Writer writes
	began time.Time      // start of the log, from which Event.At counts
}

// openLog begins the child's log. It returns no error if only the log's first segment cannot be
// written: the child starts, LogStatus reports the failure, and the log tries again later.
func (c *localChild) openLog() error {
	o := c.owner.opt
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

// discard ends and removes the log of a child that could not be started, because the next child may
// get the same ID.
func (l *childLog) discard() {
	_ = l.Close()
	if d, ok := l.store.(interface{ Discard() error }); ok {
		_ = d.Discard() // the next start reports files that are left
	}
}

// add appends an event that happens now. A timer or flushLog writes the event to the disk.
func (l *childLog) add(e eventlog.Event) {
	e.At = time.Since(l.began)
	l.Append(e)
}

// flushLog writes the added events if another process reads the log, or if many events are waiting.
// Call flushLog without the child's mutex, because the disk may be slow.
func (c *localChild) flushLog() {
	if c.owner.opt.Log.Direct || c.log.Full() {
		_ = c.log.Flush() // Status reports the error
	}
}
