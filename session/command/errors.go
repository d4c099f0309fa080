package command

import "errors"

var (
	// ErrRun is returned when a command cannot be run as given.
	ErrRun = errors.New("cannot run")
)
