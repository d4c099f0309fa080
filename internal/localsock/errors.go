package localsock

import (
	"errors"

	"github.com/glasstty/glasstty/internal/owned"
)

var (
	// ErrNoServer is returned by Dial if no server listens on the path.
	ErrNoServer = errors.New("no server listens there")
	// ErrInUse is returned if a running server has the path, or another server is about to take the path.
	ErrInUse = errors.New("socket in use")
	// ErrForeign is returned if the other side, or the directory, belongs to a user other than this
	// one and root.
	ErrForeign = owned.ErrForeign
	// ErrSandboxed is returned by Accept if the other side is in a sandbox, which it could escape through
	// this program. Accept also returns it if the other side has ended and so cannot be checked.
	ErrSandboxed = errors.New("the program at the other side is in a sandbox")
)
