package control

import "errors"

var (
	// ErrPersonControls is returned when a tool call types while a person has paused or taken over the session.
	ErrPersonControls = errors.New("a person has control of the session")
	// ErrNoKeyboard is returned when a person types without having the keyboard, takes or releases
	// the keyboard while another person has it, or releases a free keyboard.
	ErrNoKeyboard = errors.New("you do not have the keyboard")
	// ErrUnfinished is returned when input of a client would be added to another author's line, and
	// the client has not seen the line.
	ErrUnfinished = errors.New("nothing was typed")
)
