package picture

import "errors"

// ErrFormat is returned when Write is called on a Format that does not exist.
var ErrFormat = errors.New("unknown format")

// ErrRegion is returned when a region lies outside what the snapshot holds.
var ErrRegion = errors.New("region outside the snapshot")

// ErrTooLarge is returned when a PNG would have more than MaxPixels pixels even
// with the smallest cells.
var ErrTooLarge = errors.New("picture too large")
