package session

import (
	"errors"

	"github.com/glasstty/glasstty/internal/allowlist"
	"github.com/glasstty/glasstty/session/command"
	"github.com/glasstty/glasstty/session/control"
	"github.com/glasstty/glasstty/session/guard"
	"github.com/glasstty/glasstty/session/input"
	"github.com/glasstty/glasstty/session/queue"
)

// Errors that callers tell apart. Each is wrapped with the value concerned.
var (
	// ErrNoSession is returned when an id or name names no session.
	ErrNoSession = errors.New("no such session")
	// ErrAmbiguous is returned when a name names several sessions.
	ErrAmbiguous = errors.New("several sessions have this name")
	// ErrExited is returned when a call needs a running child and it has exited.
	ErrExited = errors.New("the process has exited")
	// ErrRunning is returned when a call needs a session that has ended.
	ErrRunning = errors.New("the process is still running")
	// ErrNoReader is returned when a reader id is not registered.
	ErrNoReader = errors.New("no such reader")
	// ErrInputFull is returned when the child does not read and the input queue is full.
	ErrInputFull = errors.New("the program is not reading its input")
	// ErrSlow is returned when the child has not taken all of a call's input within the call's time.
	ErrSlow = queue.ErrSlow
	// ErrOutputStopped is returned, with ErrSlow or ErrInputFull, when ctrl+s has stopped the output.
	ErrOutputStopped = errors.New("ctrl+s has stopped the output")
	// ErrRate is returned when a call's input takes longer than the call has time, by the limit on input.
	ErrRate = errors.New("that is more input than the session takes at once")
	// ErrLongLine is returned when the terminal is in line mode and a typed line exceeds what the kernel keeps of one.
	ErrLongLine = input.ErrLongLine
	// ErrBroken is returned when a Reservation's owner types after others have.
	ErrBroken = queue.ErrBroken
	// ErrTooMany is returned when a limit on sessions or readers is reached.
	ErrTooMany = errors.New("limit reached")

	// ErrCommand is returned when a command cannot be run as given.
	ErrCommand = command.ErrRun
	// ErrArgument is returned when a value is out of the range its field allows.
	ErrArgument = errors.New("argument out of range")
	// ErrInputClosed is returned when a session on pipes is typed to after the end of its input.
	ErrInputClosed = errors.New("the input was closed by ctrl+d, or by the program itself")
	// ErrPipe is returned when a call needs a terminal and the session has pipes.
	ErrPipe = errors.New("the session runs on pipes, without a terminal")
	// ErrHeld is returned when a tool call types, ends or resizes while a person has paused or taken over the session.
	ErrHeld = control.ErrHeld
	// ErrNotHeld is returned when a person types, or gives back, without holding the keyboard.
	ErrNotHeld = control.ErrNotHeld
	// ErrUnfinished is returned instead of adding to a line that somebody else has begun and the caller has not seen.
	ErrUnfinished = control.ErrUnfinished
	// ErrNoSecret is returned when a secret is given and the program asks for none.
	ErrNoSecret = errors.New("no password is asked for")
	// ErrNotConfirmed is returned when what is confirmed is not what was held.
	ErrNotConfirmed = guard.ErrNotConfirmed
	// ErrRestless is returned when the program that reads the input changes again and again while the input is judged.
	ErrRestless = errors.New("the program in front does not settle")
	// ErrDenied is returned when a program may not be started, or not in this directory.
	ErrDenied = allowlist.ErrDenied
	// ErrClosed is returned by a Manager that is shutting down.
	ErrClosed = errors.New("shutting down")
)
