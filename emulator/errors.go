package emulator

import "errors"

// ErrMouseOff is returned when the program has not asked for this mouse event.
var ErrMouseOff = errors.New("the program has not asked for the mouse")
