package child

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/internal/sandbox"
	"github.com/glasstty/glasstty/session/eventlog"
)

// A Size is a terminal's, in cells.
type Size struct{ Rows, Cols int }

// A Spec says what to start.
type Spec struct {
	ID   string   // the session's; it names the log too
	Path string   // the file to execute
	Args []string // the name it is called by, then its arguments
	// Command is what was asked for, as a person would type it; for the log.
	Command string
	Env     []string // the whole environment; the owner adds its tag
	Dir     string
	// Fixed says that Dir has no symbolic links and was judged: if one has come into
	// its place the child is not started.
	Fixed bool
	Size  Size
	Pipe  bool     // pipes instead of a terminal
	Temp  []string // directories to remove when the child has ended
	// Sandbox is what the program may do; nil: what this user may.
	Sandbox *sandbox.Job

	Limits Limits // of its tree

	Slot  int    // which gauge is its own; the owner's
	State []byte // what the session wants to find again, see Child.Keep
}

// An Owner starts children and owns them until they have ended. It is safe for
// concurrent use.
type Owner interface {
	// Start starts a child. The error wraps ErrNoPTY when the system has no
	// terminal to give.
	Start(Spec) (Child, error)
	// Close ends what its children have left behind, and waits for nothing else:
	// the children are ended first.
	Close() error
}

// A Found is a child that was started before, by a server that is no more.
type Found struct {
	ID    string
	Child Child
	// Total is how many bytes of output came before what Read returns first, and
	// Logged is the log offset of what comes then.
	Total, Logged int64
	State         []byte // what the session has kept
	Replies       int64  // see Input
	Exited        bool   // it has ended meanwhile: Wait returns soon
}

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	Output EventKind = iota // the child wrote Data
	Resize                  // the terminal now has Size
	Turn                    // its log has begun a segment at Offset
)

// An Event is what a Child's Read returns.
type Event struct {
	Kind EventKind
	Data []byte // valid until the next Read
	Size Size
	// Offset is where in the log the new segment begins. The state of the terminal
	// at this moment belongs to it, see eventlog.SaveState.
	Offset int64
	// Logged is where in the log the next event will begin.
	Logged int64
}

// An Input is a piece of input on its way to a child.
type Input struct {
	Data []byte
	// Call names the call that types it, and Offset is where in the call's bytes
	// Data begins: what was typed of a call already is not typed again. Input
	// without a Call is not numbered.
	Call   string
	Offset int64
	Silent bool // the log gets nothing of it: a terminal's own reply, or a secret
	// Note is logged before Data, when a call begins.
	Note *eventlog.InputNote
	EOF  bool // on pipes: the child's input ends after it
	// Replies says up to which byte of output the terminal's replies are given,
	// with this input.
	Replies int64
}

// An Exit is how a child ended.
type Exit struct {
	Code  int       // 128 and the signal when a signal ended it
	Stuck bool      // something it started still held its terminal open DrainLimit later
	Over  Over      // why its owner has killed it, if it has
	Lost  bool      // its owner is gone: nobody knows how it ended
	At    time.Time // where its owner is gone: when that was noticed
}

// DrainLimit is how long a child's terminal is read after the child was reaped,
// when something else keeps it open.
const DrainLimit = time.Second

// A Child is one program. It is safe for concurrent use, but for Read, which is
// for one goroutine.
type Child interface {
	PID() int
	// Tag returns the entry in the environment of the child and its descendants by
	// which they are known, see EndTagged; "" where nobody knows it.
	Tag() string
	// Terminal returns the master of the child's terminal, for questions to the
	// kernel and never to be read or written; nil on pipes. It is valid until
	// Close.
	Terminal() *os.File
	// Read waits for the next event. The error is io.EOF after the last.
	Read() (Event, error)
	// Ahead reports whether output beyond the first seen bytes was taken from the
	// child, or a read is under way that may take some. When that finds nothing, no
	// event follows: ask again.
	Ahead(seen int64) bool
	// Write types a piece of input and returns how much of it was taken. It
	// blocks while the child does not read. After the end of a pipe's input the
	// error is io.EOF.
	Write(Input) (int, error)
	// Resize changes the terminal's size. Read returns the event in its place.
	Resize(Size) error
	// Wait returns when the child was reaped and its last output is in its log
	// and on its way to Read.
	Wait() Exit
	// End signals the child and its descendants, kills what is left after grace,
	// and returns when none lives. A child that has ended may have left some.
	End(ctx context.Context, sig syscall.Signal, grace time.Duration) error
	// Log returns where the child's log is to be read, nil when it has none. The
	// owner has written all that Read has returned, and all notes.
	Log() eventlog.Store
	// LogStatus tells whether events are missing from the log.
	LogStatus() eventlog.Status
	// Note appends an event of the session's own to the log: a note or a marker.
	// It does not wait for the disk.
	Note(eventlog.Event)
	// Keep has the owner keep what the session wants to find again when it must
	// be built again; it replaces what was kept before.
	Keep(state []byte)
	// Close lets go of the terminal and ends Read. End comes first.
	Close()
}
