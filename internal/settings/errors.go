package settings

import "errors"

// ErrFile is returned when a file of settings cannot be used.
var ErrFile = errors.New("settings")
