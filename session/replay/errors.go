package replay

import "errors"

// Errors that callers tell apart. Each is wrapped with the value concerned.
var (
	// ErrPast is returned for a moment before the part of the log that was kept.
	ErrPast = errors.New("before the kept part of the log")
	// ErrFuture is returned for a moment in the future.
	ErrFuture = errors.New("in the future")
	// ErrMarker is returned for a name that no message or marker has.
	ErrMarker = errors.New("no such message or marker")
	// ErrMoment is returned for a text that is not a moment.
	ErrMoment = errors.New("not a moment")
	// ErrCut is returned with an animation that ends before the tape does.
	ErrCut = errors.New("the animation was cut")
	// ErrCast is returned for a file that is not an asciicast.
	ErrCast = errors.New("not an asciicast file of version 2 or 3")
)
