package queue

import "errors"

var (
	// ErrSlow is returned when the child has not taken all of a call's input within the call's time.
	ErrSlow = errors.New("the program is slow to read its input")
	// ErrBroken is returned when a Reservation's owner types after others have.
	ErrBroken = errors.New("the steps were interrupted")
)
