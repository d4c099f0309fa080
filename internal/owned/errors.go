package owned

import "errors"

// ErrForeign is returned when a file or directory, or the link to it, belongs to another user,
// who could read or replace it.
var ErrForeign = errors.New("belongs to another user")
