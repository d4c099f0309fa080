package keeper

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/glasstty/glasstty/session/child"
	"github.com/glasstty/glasstty/session/eventlog"
)

// version is the version of the protocol. Both ends must have the same version.
const version = 7

// A message is what the server and the keeper send each other. The type of Body says what it means.
// A server first sends a hello, and then: a child.Spec to start a child, attach to get its stream,
// child.Input to type, child.Size to resize, end to end it, an eventlog.Event to log, a state to
// store, an ack of output, and forget. The keeper sends a welcome, an answer to each message with a
// Request, and the stream of each attached child: child.Event, drained and child.Exit. When another
// server takes over, the keeper sends replaced to the first one.
type message struct {
	Child   uint32          // the number of the child that the message is about, or 0
	Request uint32          // the same number in a request and its answer; 0 in other messages
	Status  eventlog.Status // the status of the child's log; only in the child's stream
	Body    any
}

// A signal is a Body without data. It is not a signal of the operating system.
type signal uint8

const (
	attach   signal = iota // begin the stream of the child
	forget                 // release what the keeper holds for a child that has ended
	drained                // there will be no more output
	replaced               // another server takes over
)

// state is what the next server needs to take over a session, encoded; see child.Child.Keep.
type state struct{ State []byte }

// An ack is the number of bytes of output that child.Child.Read has returned since the last ack.
type ack int

// hello is the first message of a server.
type hello struct {
	Version int
	PID     int
	Replace bool // take over from the server that is connected
	Redact  bool // secrets must be hidden in the logs
}

// welcome is the keeper's answer to hello. The shared memory with the children's counters is passed with it.
type welcome struct {
	Version    int
	PID        int
	Server     int  // not 0: the server is refused, because the one with this process ID is connected
	Within     bool // the server is refused, because it runs in one of the keeper's sessions
	Unredacted bool // the server is refused, because it wants secrets hidden in the logs, and the keeper does not
	Children   []childInfo
}

// childInfo describes a child to a server.
type childInfo struct {
	Number uint32 // identifies the child in messages
	ID     string // of the child's session
	PID    int
	Tag    string // see child.Child
	Pipe   bool
}

// end asks the keeper to end a child, see child.Child.End.
type end struct {
	Signal syscall.Signal
	Grace  time.Duration
}

// answer is the keeper's answer to a request. If the request begins the stream of a child, Info and
// Found describe the child, and the master of its terminal, if any, is passed with the answer.
type answer struct {
	Info  childInfo
	Found child.Found
	N     int    // for a child.Input: the number of bytes typed
	Error string // "" if the request has succeeded
}

// err returns the error in the answer, or nil. If the text begins with that of io.EOF, child.ErrNoPTY
// or child.ErrLeftBehind, the result wraps that error.
func (a *answer) err() error {
	if a.Error == "" {
		return nil
	}
	for _, known := range []error{io.EOF, child.ErrNoPTY, child.ErrLeftBehind} {
		if rest, ok := strings.CutPrefix(a.Error, known.Error()); ok {
			return fmt.Errorf("%w%s", known, rest)
		}
	}
	return errors.New(a.Error)
}
