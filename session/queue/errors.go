package queue

import "errors"

var (
	// ErrSlow is returned when a call's time is over before all of its input is queued: another
	// call types, or the program is slow to read.
	ErrSlow = errors.New("the program is slow to read its input")
	// ErrBroken is returned when a Reservation's owner types after others have.
	ErrBroken = errors.New("the steps were interrupted")
)
