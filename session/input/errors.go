package input

import "errors"

// ErrLongLine is returned when a typed line exceeds MaxLine in line mode.
var ErrLongLine = errors.New("the line is too long for the terminal's line mode")

// ErrNoCode is returned for a key with ctrl or super if the terminal has no code for that key, and
// the program has not asked for a keyboard protocol that has one.
var ErrNoCode = errors.New("terminals have no code for this key")
