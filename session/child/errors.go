package child

import "errors"

// Errors that callers distinguish.
var (
	// ErrNoPTY is returned when the system cannot open another terminal.
	ErrNoPTY = errors.New("open a terminal")
	// ErrLeftBehind is returned when a process could not be ended.
	ErrLeftBehind = errors.New("a process could not be ended")
	// ErrLost is returned when the owner of a child has ended: the child can no longer be reached.
	ErrLost = errors.New("the process that held the program is gone")
	// ErrSilent is returned when the owner of a child does not answer in time. The owner may
	// still carry out the request.
	ErrSilent = errors.New("the keeper, the process that holds the programs, does not answer")
)
