package input

import "errors"

// ErrLongLine is returned when a typed line exceeds MaxLine in line mode.
var ErrLongLine = errors.New("the line is too long for the terminal's line mode")

// ErrNoCode is returned for a key with ctrl or super for which terminals have no code, if the
// program has not asked for other codes.
var ErrNoCode = errors.New("terminals have no code for this key")
