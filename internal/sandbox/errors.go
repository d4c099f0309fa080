package sandbox

import "errors"

// Errors that callers tell apart.
var (
	// ErrPolicy is returned when a setting of a Policy is out of what is allowed, or
	// loosens what it may only tighten.
	ErrPolicy = errors.New("sandbox")
	// ErrEnforce is returned when what a Policy demands cannot be enforced on this
	// machine, and it says that it must be.
	ErrEnforce = errors.New("the sandbox cannot be enforced")
	// ErrSystem is returned where there is no sandbox for this operating system.
	ErrSystem = errors.New("there is no sandbox for this system")

	// errMoved is returned when a path is no longer what it was.
	errMoved = errors.New("it was replaced meanwhile")
)
