package owned

import "errors"

// ErrForeign is returned when a directory, or the link that leads to it, belongs to
// another user, who could read and replace what is made there.
var ErrForeign = errors.New("belongs to another user")
