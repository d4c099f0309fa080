package eventlog

import "errors"

// Errors that callers distinguish.
var (
	// ErrLocked is returned when another server uses the data directory.
	ErrLocked = errors.New("the data directory is in use")
	// ErrVersion is returned when a data directory or log was written by a newer version.
	ErrVersion = errors.New("written by a newer version of glasstty")
	// ErrNoLog is returned when a store has no log, or a file of the log is missing or damaged.
	ErrNoLog = errors.New("no log")
	// ErrSeveral is returned when several running sessions have the ID or name.
	ErrSeveral = errors.New("several sessions are")
	// ErrName is returned when a session ID is not 1 to 32 lower-case letters and digits.
	ErrName = errors.New("not a session id")
	// errBacklog is returned when too many events are waiting for the disk.
	errBacklog = errors.New("the disk is too slow: events that waited to be written were dropped")
)
