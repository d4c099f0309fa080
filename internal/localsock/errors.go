package localsock

import (
	"errors"

	"github.com/glasstty/glasstty/internal/owned"
)

var (
	// ErrNoServer is returned by Dial when nobody listens on the path.
	ErrNoServer = errors.New("no server listens there")
	// ErrInUse is returned by Listen when a living server has the path.
	ErrInUse = errors.New("socket in use")
	// ErrForeign is returned when the other side, or the directory, belongs to
	// another user.
	ErrForeign = owned.ErrForeign
	// ErrSandboxed is returned when the other side is in a sandbox, and could use this
	// program to do what it may not do itself.
	ErrSandboxed = errors.New("the program at the other side is in a sandbox")
)
