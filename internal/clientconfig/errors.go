package clientconfig

import "errors"

var (
	// ErrSyntax is returned when a file is not in its client's syntax.
	ErrSyntax = errors.New("not valid")
	// ErrTaken is returned when an entry with the server's name starts another program, or a skill
	// file is not from this package.
	ErrTaken = errors.New("the name is taken")
	// ErrNotEditable is returned when a file has a form that this package does not edit, or an edit
	// would change other parts of the file.
	ErrNotEditable = errors.New("cannot be edited safely")
)
