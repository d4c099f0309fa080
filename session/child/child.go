package child

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Size is the size of a terminal in cells.
type Size struct{ Rows, Cols int }

// A Spec describes a program to start.
type Spec struct {
	ID      string   // of the session and its log
	Path    string   // of the file to execute
	Args    []string // the name to call it by, then its arguments
	Command string   // as a person would type it, for the log
	Env     []string // the whole environment; the owner adds the child's tag
	Dir     string
	// DirResolved reports that Dir was checked and has no symbolic links. If a link has replaced
	// it, or a directory above it, since then, Start fails with sandbox.ErrMoved.
	DirResolved bool
	Size        Size
	Pipe        bool   // pipes instead of a terminal
	Temp        string // a directory to remove when the child has ended, or ""
	// Sandbox restricts the program. If it is nil, the program may do what this user may.
	Sandbox *sandbox.Job

	Limits Limits // of its process tree

	Slot  int    // the number of its gauge, chosen by the owner
	State []byte // the session's kept state at the start, see Child.Keep
}

// An Owner starts children and owns them until they have ended. It is safe for concurrent use.
type Owner interface {
	// Start starts a child. The error wraps ErrNoPTY when the system cannot open another terminal.
	Start(Spec) (Child, error)
	// Subreaper returns the ID of the process that adopts orphans: descendants of the children
	// whose parent has ended. It is 0 if the owner does not adopt orphans.
	Subreaper() int
	// Close releases the owner. If its children cannot outlive it, end them first: Close then
	// ends the processes that they have left behind.
	Close() error
}

// A Found is a child that an earlier server has started.
type Found struct {
	ID              string // of its session
	Child           Child
	State           []byte // the kept state, see Child.Keep
	Exited          bool   // the child has ended: Wait returns soon
	eventlog.Stream        // the point from which Read continues
}

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events.
const (
	Output  EventKind = iota // the child wrote Data
	Resize                   // the terminal now has Size
	Segment                  // the child's log has begun a segment at Offset
)

// An Event is what a Child's Read returns.
type Event struct {
	Kind EventKind
	Data []byte // valid until the next Read
	Size Size
	// Offset is the log offset of the new segment. Save the session's current state there, see
	// eventlog.SaveState.
	Offset int64
	// Logged is the log offset at the end of this event.
	Logged int64
}

// An Input is a piece of input on its way to a child.
type Input struct {
	Data []byte
	// Call names the call that types Data. Offset is the number of bytes of the call before Data.
	// Bytes of a call that were typed before are not typed again. Without a Call, Data is always
	// typed.
	Call   string
	Offset int64
	Silent bool // Data is not logged: the terminal's reply to a query, or a secret
	// Note is logged before Data. It is set when a call begins.
	Note *eventlog.Event
	EOF  bool // on pipes: the child's input ends after Data
	// Replies is the number of bytes of output whose queries have been answered, with this
	// input too.
	Replies int64
}

// An Exit describes how a child ended.
type Exit struct {
	Code     int       // 128 plus the signal's number when a signal ended it; -1 if not known
	Stuck    bool      // another process still held its terminal or pipe open DrainLimit after the child was reaped
	Exceeded Exceeded  // the limit for which it was killed, if any
	Lost     bool      // its owner has ended, so the exit code is not known
	At       time.Time // when the end was noticed
}

// DrainLimit is the time for which a child's terminal or pipe is read after the child was reaped,
// if another process keeps it open.
const DrainLimit = time.Second

// A Child is a program that was started. It is safe for concurrent use, except for Read,
// which is for one goroutine.
type Child interface {
	PID() int
	// Tag returns the text that identifies the child's process tree, see EndTagged, or "" if it
	// is not known.
	Tag() string
	// Terminal returns the master of the child's terminal, or nil on pipes. Use it only to
	// ask the kernel; never read or write it. It is valid until Close.
	Terminal() *os.File
	// Read waits for the next event. The error is io.EOF after the last.
	Read() (Event, error)
	// Ahead reports whether more than the first seen bytes of output have been read from the
	// child, or may have been: a read may be under way. If that read finds nothing, no event
	// follows, so ask again.
	Ahead(seen int64) bool
	// Write types a piece of input. It returns the number of bytes of Data that this or an earlier
	// Write has typed. It blocks while the child does not read. The error is io.EOF once a pipe's
	// input has ended, also for the piece that ends it.
	Write(Input) (int, error)
	// Resize changes the terminal's size. Read returns a Resize event between the output
	// before and after it.
	Resize(Size) error
	// Wait returns when the child has been reaped and its last output is in its log, or
	// DrainLimit after it was reaped.
	Wait() Exit
	// End signals the child and its descendants. When the child has ended, or after grace,
	// it kills those that are left, and returns when none lives. Call it for a child that
	// has ended too: descendants may be left. The error wraps ErrLeftBehind if one survives.
	End(ctx context.Context, sig syscall.Signal, grace time.Duration) error
	// Log returns the store of the child's log, which contains all events that Read has
	// returned, and all notes, unless writing has failed.
	Log() eventlog.Store
	// LogStatus reports whether the log cannot be written, so that events are being dropped.
	LogStatus() eventlog.Status
	// Note appends a note or a marker of the session to the log. It does not wait for the disk.
	Note(eventlog.Event)
	// Keep stores the session's kept state with the owner, for a later server that rebuilds the
	// session. It replaces the state stored before. It does not concern the saved states in the
	// log, see eventlog.SaveState.
	Keep(state []byte)
	// Close closes the terminal and the log, and ends Read. Call End before.
	Close()
}
