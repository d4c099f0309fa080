package sandbox

import "errors"

// Errors that callers distinguish.
var (
	// ErrPolicy is returned for an invalid setting of a Policy.
	ErrPolicy = errors.New("sandbox")
	// ErrEnforce is returned when the sandbox cannot be set up, or a strict Policy cannot be
	// enforced as a whole.
	ErrEnforce = errors.New("the sandbox cannot be enforced")
	// ErrSystem is returned if there is no sandbox for this operating system.
	ErrSystem = errors.New("there is no sandbox for this system")
	// ErrMoved is returned when a path was replaced after the server had checked it.
	ErrMoved = errors.New("a path was replaced meanwhile")
)
