package clientconfig

import "errors"

var (
	// ErrSyntax is returned when a file is not in its client's syntax.
	ErrSyntax = errors.New("not valid")
	// ErrTaken is returned when an entry with the server's name starts another program, or a
	// skill's file has other contents.
	ErrTaken = errors.New("the name is taken")
	// ErrByHand is returned when a file is written in a form that this package does not edit.
	ErrByHand = errors.New("cannot be edited safely")
)
