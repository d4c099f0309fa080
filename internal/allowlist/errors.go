package allowlist

import "errors"

var (
	// ErrRule is returned when a rule cannot be used.
	ErrRule = errors.New("rule of the programs and directories that are allowed")
	// ErrDenied is returned when a program may not be started, or not there.
	ErrDenied = errors.New("not allowed here")
)
