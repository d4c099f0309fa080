package allowlist

import "errors"

var (
	// ErrRule is returned for an invalid rule.
	ErrRule = errors.New("invalid rule for the programs and directories that are allowed")
	// ErrDenied is returned when a program may not be started, or not in that directory, or not with
	// that environment.
	ErrDenied = errors.New("not allowed here")
)
