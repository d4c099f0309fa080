package replay

import "errors"

// Errors that callers distinguish. Each is wrapped with the value concerned.
var (
	// ErrPast is returned for a moment before the stored part of the log.
	ErrPast = errors.New("before the stored part of the log")
	// ErrFuture is returned for a moment in the future.
	ErrFuture = errors.New("in the future")
	// ErrMarker is returned for a name that no message or marker has.
	ErrMarker = errors.New("no such message or marker")
	// ErrMoment is returned for a text that is not a moment of the session.
	ErrMoment = errors.New("no such moment")
	// ErrCut is returned with an animation that ends before the recording does.
	ErrCut = errors.New("the animation was cut")
	// ErrCast is returned for a file that is not an asciicast.
	ErrCast = errors.New("not an asciicast file of version 2 or 3")
)
