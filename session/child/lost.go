package child

import (
	"context"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/eventlog"
)

// Lost is a child whose owner has ended: only its log is left.
type Lost struct {
	SavedPID int            // the child's former process ID
	SavedTag string         // see Child.Tag
	Store    eventlog.Store // of its log
}

// IsLost reports whether a child is only a log.
func IsLost(c Child) bool {
	_, ok := c.(Lost)
	return ok
}

// PID returns the child's former process ID.
func (c Lost) PID() int { return c.SavedPID }

// Tag returns the text that identifies the child's process tree.
func (c Lost) Tag() string { return c.SavedTag }

// Terminal returns nil.
func (Lost) Terminal() *os.File { return nil }

// Read returns io.EOF.
func (Lost) Read() (Event, error) { return Event{}, io.EOF }

// Ahead returns false.
func (Lost) Ahead(int64) bool { return false }

// Write returns io.EOF.
func (Lost) Write(Input) (int, error) { return 0, io.EOF }

// Resize returns ErrLost.
func (Lost) Resize(Size) error { return ErrLost }

// Wait returns at once. The Exit is Lost, and its Code is 0.
func (Lost) Wait() Exit { return Exit{Lost: true, At: time.Now()} }

// End ends the processes that are left of the child's tree, see EndTagged.
func (c Lost) End(ctx context.Context, sig syscall.Signal, grace time.Duration) error {
	return EndTagged(ctx, c.SavedTag, sig, grace)
}

// Log returns the store of the child's log.
func (c Lost) Log() eventlog.Store { return c.Store }

// LogStatus returns a zero Status.
func (Lost) LogStatus() eventlog.Status { return eventlog.Status{} }

// Note does nothing.
func (Lost) Note(eventlog.Event) {}

// Keep does nothing.
func (Lost) Keep([]byte) {}

// Close does nothing.
func (Lost) Close() {}
