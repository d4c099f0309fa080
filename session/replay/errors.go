package replay

import "errors"

// Errors that callers tell apart. Each is wrapped with the value concerned.
var (
	// ErrPast is returned for a moment before the kept part of a log.
	ErrPast = errors.New("before the kept part of the log")
	// ErrFuture is returned for a moment that has not come.
	ErrFuture = errors.New("in the future")
	// ErrMarker is returned when no message or marker has the name.
	ErrMarker = errors.New("no such message or marker")
	// ErrMoment is returned for a text that names no moment.
	ErrMoment = errors.New("no moment")
	// ErrCut is returned beside an animation that does not go to the tape's end.
	ErrCut = errors.New("the animation was cut")
	// ErrCast is returned for a file that is not an asciicast.
	ErrCast = errors.New("not an asciicast file of version 2 or 3")
)
