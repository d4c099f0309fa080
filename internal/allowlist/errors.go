package allowlist

import "errors"

var (
	// ErrRule is returned for an invalid rule.
	ErrRule = errors.New("invalid allow or block rule")
	// ErrDenied is returned when the rules forbid a program, its arguments, its directory or its
	// environment.
	ErrDenied = errors.New("not allowed on this server")
)
