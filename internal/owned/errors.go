package owned

import "errors"

// ErrForeign is returned when a file, a directory, or a link to one belongs to a user other than
// this one and root. That user could read or replace it.
var ErrForeign = errors.New("belongs to another user")
