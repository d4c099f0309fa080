package fleet

import "errors"

// The errors of the package.
var (
	// ErrNoHost is returned when no node has the name, or none fits the selector.
	ErrNoHost = errors.New("no such host")
	// ErrUnreachable is returned when a node is known and does not answer.
	ErrUnreachable = errors.New("unreachable")
	// ErrLost is returned when a node is known and counts as gone for good.
	ErrLost = errors.New("lost")
	// ErrNoConnection is returned while there is no connection to NATS.
	ErrNoConnection = errors.New("this server has no connection to the fleet's NATS server, and tries again by itself")
	// ErrDraining is returned when all nodes that are meant are draining.
	ErrDraining = errors.New("draining")
	// ErrVersion is returned when a node's messages are of another version.
	ErrVersion = errors.New("the versions differ")
	// ErrNotAllowed is returned for a host that a call is not limited to.
	ErrNotAllowed = errors.New("not allowed")
	// ErrNameTaken is returned when another node has the name.
	ErrNameTaken = errors.New("name taken")
	// ErrTooLarge is returned for a call or an answer that is too large.
	ErrTooLarge = errors.New("too large")
	// ErrNumber is returned for a piece whose place has another number than was said.
	ErrNumber = errors.New("the place of the piece has another number")
	// ErrRefused is returned when NATS does not let the credentials do what is needed.
	ErrRefused = errors.New("not allowed by NATS")
	// ErrLeft is returned when this member has left the fleet.
	ErrLeft = errors.New("this server has left the fleet")
)

// A sentError is the error of a call that may have been made all the same.
type sentError struct{ error }

// Sent reports that the call may have been made.
func (sentError) Sent() bool { return true }

// Unwrap returns why the call has no answer.
func (e sentError) Unwrap() error { return e.error }
