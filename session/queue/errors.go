package queue

import "errors"

var (
	// ErrSlow is returned when a call's time is over before all of its input is queued: another
	// call has the turn, or the program is slow to read.
	ErrSlow = errors.New("the program is slow to read its input")
	// ErrBroken is returned when the owner of a Reservation types after somebody else has typed.
	ErrBroken = errors.New("the steps were interrupted")
)
