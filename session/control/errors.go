package control

import "errors"

var (
	// ErrPersonControls is returned when a tool call types while a person has paused or taken over the session.
	ErrPersonControls = errors.New("a person has control of the session")
	// ErrNoKeyboard is returned when a person who does not hold the keyboard types or releases
	// it.
	ErrNoKeyboard = errors.New("you do not have the keyboard")
	// ErrUnfinished is returned for input that would be added to a line that another author
	// has begun.
	ErrUnfinished = errors.New("nothing was typed")
)
