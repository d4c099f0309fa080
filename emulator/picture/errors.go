package picture

import "errors"

// ErrRegion is returned if a region is not inside the snapshot.
var ErrRegion = errors.New("region outside the snapshot")

// ErrTooLarge is returned if a PNG would have more than MaxPixels pixels even with the
// smallest cells.
var ErrTooLarge = errors.New("picture too large")
