package guard

import "errors"

// ErrNotConfirmed is returned when what is confirmed is not what was held.
var ErrNotConfirmed = errors.New("nothing was confirmed")
