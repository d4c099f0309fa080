package emulator

import "errors"

// ErrMouseOff is returned when the program has not asked for this mouse event.
var ErrMouseOff = errors.New("the program has not asked for the mouse")

// ErrMouse is returned for a mouse event that no mouse can make or that the
// encoding the program asked for cannot express.
var ErrMouse = errors.New("bad mouse event")

// ErrUnknownKey is returned when ParseKey does not know a key name.
var ErrUnknownKey = errors.New("unknown key")

// ErrKeyRepeat is returned when the repeat count of a key name is out of range.
var ErrKeyRepeat = errors.New("bad key repeat")

// ErrState is returned when bytes are not the state of a Terminal that can be restored.
var ErrState = errors.New("not the state of a terminal")
