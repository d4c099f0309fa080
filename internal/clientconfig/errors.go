package clientconfig

import "errors"

var (
	// ErrSyntax is returned when a file is not in its client's syntax.
	ErrSyntax = errors.New("not valid")
	// ErrTaken is returned when the server's name is that of another program.
	ErrTaken = errors.New("the name is taken")
	// ErrByHand is returned when an entry is written in a way that is not
	// edited here.
	ErrByHand = errors.New("cannot be edited safely")
)
