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
	ID      string   // the ID of the session, whose log has the same ID
	Path    string   // of the file to execute
	Args    []string // the name by which the program is called, then its arguments
	Command string   // the command as a person would type it, for the log
	Env     []string // the whole environment; the owner adds the child's tag
	Dir     string   // the working directory
	// DirResolved reports that Dir was checked and has no symbolic links. If a link has replaced Dir,
	// or a directory above Dir, since the check, Start fails with sandbox.ErrMoved.
	DirResolved bool
	Size        Size
	Pipe        bool   // the program gets pipes instead of a terminal
	Temp        string // a directory to remove when the child has ended, or ""
	// Sandbox restricts the program. If Sandbox is nil, the program may do what this user may.
	Sandbox *sandbox.Job

	Limits Limits // of the child's process tree

	Slot  int    // the number of the child's Gauge, which the keeper sets
	State []byte // the session's kept state at the start, see Child.Keep
}

// An Owner starts children and owns them until they have ended. It is safe for concurrent use.
type Owner interface {
	// Start starts a child. The error wraps ErrNoPTY when the system cannot open another terminal.
	Start(Spec) (Child, error)
	// Subreaper returns the ID of the process that adopts orphans: descendants of the children
	// whose parent has ended. It returns 0 if no process does.
	Subreaper() int
	// Close releases the owner. End the children before, unless they outlive the owner as those of
	// a keeper do. If the owner adopts orphans, Close also ends the orphans that are left.
	Close() error
}

// A Found is a child that an earlier server has started.
type Found struct {
	ID              string // of its session
	Child           Child
	State           []byte // the kept state, see Child.Keep
	Exited          bool   // the child has ended, so Wait returns soon
	eventlog.Stream        // the point in the child's output from which Read continues
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
	// Offset is the log offset of the new segment. The session saves its current state for this
	// offset (eventlog.SaveState).
	Offset int64
	// Logged is the log offset at the end of this event.
	Logged int64
}

// An Input is a piece of input on its way to a child.
type Input struct {
	Data []byte
	// Call names the call that types Data. Offset is the number of bytes that the call types before
	// Data. Bytes of the call that were typed earlier are not typed again. If Call is "", all of
	// Data is typed.
	Call   string
	Offset int64
	Silent bool // Data is not logged: the terminal's reply to a query, or a secret
	// Note describes the call. It is set when a call begins, and logged before Data is typed.
	Note *eventlog.Event
	EOF  bool // on pipes: the child's input ends after Data
	// Replies is the number of bytes of output whose queries to the terminal are answered once Data
	// is typed.
	Replies int64
}

// An Exit describes how a child ended.
type Exit struct {
	Code     int       // 128 plus the signal's number if a signal ended the child; -1 if not known; meaningless if Lost
	Stuck    bool      // the output had not ended DrainLimit after the child was reaped; see DrainLimit
	Exceeded Exceeded  // the limit for which the child was killed, if any
	Lost     bool      // the child's owner has ended, or can no longer be reached, so the exit code is not known
	At       time.Time // when the end was noticed
}

// DrainLimit is how long Wait waits for the end of the output after the child was reaped: another process
// may keep the terminal or pipe open, or there may be much to read. Read continues until Close.
const DrainLimit = time.Second

// A Child is a program that was started. It is safe for concurrent use, except for Read,
// which is for one goroutine.
type Child interface {
	PID() int
	// Tag returns the text that identifies the child's process tree, see EndTagged, or "" if it
	// is not known.
	Tag() string
	// Terminal returns the master of the child's terminal, or nil on pipes. Use the master only to
	// ask the kernel about the terminal; never read or write it. It is valid until Close.
	Terminal() *os.File
	// Read waits for the next event. After the last event, the error is io.EOF.
	Read() (Event, error)
	// Ahead reports whether more than the first seen bytes of output have been read from the child.
	// It may also return true while a read is under way. If that read finds nothing, no event
	// follows, so call Ahead again.
	Ahead(seen int64) bool
	// Write types a piece of input. It returns the number of bytes of Data that this or an earlier
	// Write has typed. It blocks while the terminal or pipe is full. The error is io.EOF for the piece
	// that ends a pipe's input (EOF), and for all later pieces.
	Write(Input) (int, error)
	// Resize changes the terminal's size; on pipes it fails. Read returns a Resize event between the
	// output from before the change and the output from after it.
	Resize(Size) error
	// Wait returns when the child has been reaped and its last output is in its log, or
	// DrainLimit after the child was reaped.
	Wait() Exit
	// End signals the child and its descendants. When the child has ended, or after grace, End kills
	// the processes that are left, and returns when none lives. Call End even if the child has ended,
	// because descendants may be left. The error wraps ErrLeftBehind if a process survives.
	End(ctx context.Context, sig syscall.Signal, grace time.Duration) error
	// Log returns the store of the child's log. Unless writing has failed, the log contains all events
	// that Read has returned. A note may appear there a moment after the call of Note.
	Log() eventlog.Store
	// LogStatus reports whether the log cannot be written, so that events are being dropped.
	LogStatus() eventlog.Status
	// Note appends a note or a marker of the session to the log.
	Note(eventlog.Event)
	// Keep stores the session's kept state with the owner, for a later server that rebuilds the
	// session. The new state replaces the one stored before. An owner whose children cannot outlive
	// it ignores the state. The states that eventlog.SaveState saves in the log are different.
	Keep(state []byte)
	// Close closes the terminal and the log, and ends Read. Call End first.
	Close()
}
