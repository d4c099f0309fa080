package session

import (
	"errors"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/session/command"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/queue"
)

// Errors that callers distinguish. Each is wrapped with the value concerned.
var (
	// ErrNoSession is returned when an id or name names no session.
	ErrNoSession = errors.New("no such session")
	// ErrAmbiguous is returned when a name names several sessions.
	ErrAmbiguous = errors.New("several sessions have this name")
	// ErrExited is returned when a call needs a running child and the child has exited or is lost.
	ErrExited = errors.New("the process has exited")
	// ErrRunning is returned when a call needs a session that has ended.
	ErrRunning = errors.New("the process is still running")
	// ErrNoReader is returned when a reader id is not registered.
	ErrNoReader = errors.New("no such reader")
	// ErrInputFull is returned when the child does not read and the input queue is full.
	ErrInputFull = errors.New("the program is not reading its input")
	// ErrSlow is returned when a call's time is over before all of the call's input was queued, because
	// another call was typing or had a reservation, or because the program is slow to read.
	ErrSlow = queue.ErrSlow
	// ErrOutputStopped is returned, with ErrSlow or ErrInputFull, when ctrl+s has stopped the output.
	ErrOutputStopped = errors.New("ctrl+s has stopped the output")
	// ErrRate is returned when the rate limit does not allow all of a call's input within the call's time.
	ErrRate = errors.New("that is more input than the session takes at once")
	// ErrBroken is returned when the owner of a Reservation types after others have typed despite it.
	ErrBroken = queue.ErrBroken
	// ErrTooMany is returned when a limit on sessions or readers is reached.
	ErrTooMany = errors.New("limit reached")

	// ErrCommand is returned when a command cannot be run as given.
	ErrCommand = command.ErrRun
	// ErrArgument is returned for an invalid argument: a value out of range, an unknown id, or
	// arguments that contradict each other.
	ErrArgument = errors.New("invalid argument")
	// ErrInputClosed is returned when a session on pipes is typed to after the end of its input.
	ErrInputClosed = errors.New("the input was closed by ctrl+d, or by the program itself")
	// ErrPipe is returned when a call needs a terminal and the session has pipes.
	ErrPipe = errors.New("the session runs on pipes, without a terminal")
	// ErrPersonControls is returned when a tool call types, ends or resizes while a person has paused or taken over the session.
	ErrPersonControls = control.ErrPersonControls
	// ErrNoKeyboard is returned when a person's action needs the keyboard, and another person or nobody holds it.
	ErrNoKeyboard = control.ErrNoKeyboard
	// ErrUnfinished is returned instead of adding to another author's unfinished line that the caller has not seen.
	ErrUnfinished = control.ErrUnfinished
	// ErrNoSecret is returned when a secret is given and the program asks for none.
	ErrNoSecret = errors.New("no password is asked for")
	// ErrNotConfirmed is returned when a confirmation or a refusal of a held input or start is not accepted.
	ErrNotConfirmed = guard.ErrNotConfirmed
	// ErrDenied is returned when a program may not be started, or not in this directory.
	ErrDenied = allowlist.ErrDenied
	// ErrClosed is returned by a Manager that is shutting down.
	ErrClosed = errors.New("shutting down")
)
