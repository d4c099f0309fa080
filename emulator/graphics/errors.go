package graphics

import "errors"

var (
	// ErrLimit is returned when an image exceeds one of the limits of this package.
	ErrLimit = errors.New("image too large")
	// ErrData is returned when an image's data cannot be understood.
	ErrData = errors.New("invalid image data")
	// ErrMedium is returned for an image that is in a file or in shared memory.
	ErrMedium = errors.New("transmission medium")
)
