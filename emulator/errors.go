package emulator

import "errors"

// ErrMouseOff is returned for a mouse event that the program has not asked for.
var ErrMouseOff = errors.New("the program has not asked for the mouse")

// ErrMouse is returned for a mouse event that is impossible, or that cannot be expressed
// in the program's mouse encoding.
var ErrMouse = errors.New("bad mouse event")

// ErrUnknownKey is returned when ParseKey does not know a key name.
var ErrUnknownKey = errors.New("unknown key")

// ErrKeyRepeat is returned when the repeat count of a key name is out of range.
var ErrKeyRepeat = errors.New("bad key repeat")

// ErrState is returned when Restore cannot decode a state.
var ErrState = errors.New("not the state of a terminal")
