package owned

import "errors"

// ErrForeign is returned when a directory, or the link to it, belongs to another user, who
// could read and replace files in it.
var ErrForeign = errors.New("belongs to another user")
