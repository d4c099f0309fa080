package fleet

import "errors"

// The errors of the package.
var (
	// ErrNoHost is returned when no node has the name or matches the selector.
	ErrNoHost = errors.New("no such host")
	// ErrUnreachable is returned when a known node does not answer.
	ErrUnreachable = errors.New("unreachable")
	// ErrLost is returned when a known node is considered permanently gone.
	ErrLost = errors.New("lost")
	// ErrNoConnection is returned while there is no connection to NATS.
	ErrNoConnection = errors.New("this server has no connection to the fleet's NATS server; it keeps trying to connect")
	// ErrDraining is returned when all matching nodes are draining.
	ErrDraining = errors.New("draining")
	// ErrVersion is returned when a node uses another protocol version.
	ErrVersion = errors.New("the versions differ")
	// ErrNotAllowed is returned for a host that the token of a call's client does not allow.
	ErrNotAllowed = errors.New("not allowed")
	// ErrNameTaken is returned when another node has the name.
	ErrNameTaken = errors.New("name taken")
	// ErrTooLarge is returned for a call or an answer that is too large.
	ErrTooLarge = errors.New("too large")
	// ErrNumber is returned when the stored piece does not have the expected number.
	ErrNumber = errors.New("the stored piece has another number")
	// ErrRefused is returned when NATS denies the credentials a necessary permission.
	ErrRefused = errors.New("not allowed by NATS")
	// ErrLeft is returned when this member has disconnected.
	ErrLeft = errors.New("this server has left the fleet")
)

// A sentError is the error of a call that may have been run.
type sentError struct{ error }

// Sent marks the error of a call that may have been run.
func (sentError) Sent() bool { return true }

// Unwrap returns the reason why the call has no answer.
func (e sentError) Unwrap() error { return e.error }
