package graphics

import "errors"

var (
	// ErrLimit is returned when an image or a placement exceeds one of the limits of this package.
	ErrLimit = errors.New("image too large")
	// ErrData is returned when an image's data is invalid or not supported.
	ErrData = errors.New("invalid image data")
	// ErrMedium is returned for an image that is sent in a file or in shared memory.
	ErrMedium = errors.New("unsupported transmission medium, use d")
)
