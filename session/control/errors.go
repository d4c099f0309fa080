package control

import "errors"

var (
	// ErrPersonControls is returned when a tool call types while a person has paused or taken over the session.
	ErrPersonControls = errors.New("a person has control of the session")
	// ErrNoKeyboard is returned when a person types without holding the keyboard, or takes or
	// releases a keyboard that another person holds, or releases a free one.
	ErrNoKeyboard = errors.New("you do not have the keyboard")
	// ErrUnfinished is returned for input of a client that would be added to another author's
	// line, which the client has not seen.
	ErrUnfinished = errors.New("nothing was typed")
)
