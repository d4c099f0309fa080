package command

import "errors"

var (
	// ErrRun is returned when a command cannot be run as given, for example because there is no such program.
	ErrRun = errors.New("cannot run")
)
