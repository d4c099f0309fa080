package input

import "errors"

// ErrLongLine is returned when a typed line exceeds what the kernel keeps of one in line mode.
var ErrLongLine = errors.New("the line is too long for the terminal's line mode")
