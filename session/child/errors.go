package child

import "errors"

// Errors that callers tell apart.
var (
	// ErrNoPTY is returned when the system has no terminal to give.
	ErrNoPTY = errors.New("open a terminal")
	// ErrLeftBehind is returned when a process could not be ended.
	ErrLeftBehind = errors.New("a process could not be ended")
	// ErrLost is returned when the owner of a child is gone: nobody can reach the
	// child any more.
	ErrLost = errors.New("the process that held the program is gone")
	// ErrSilent is returned when the owner of a child does not answer in time. What it
	// was asked to do it may do later.
	ErrSilent = errors.New("the keeper, the process that holds the programs, does not answer")
	// ErrMoved is returned when a directory that was judged is another one now.
	ErrMoved = errors.New("the working directory was replaced meanwhile")
)
