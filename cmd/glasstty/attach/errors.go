package attach

import "errors"

// ErrEnded is returned when the session's program has ended, or the session is
// gone.
var ErrEnded = errors.New("the session has ended")

// ErrLost is returned when the connection to the server is lost.
var ErrLost = errors.New("the server is gone")

// ErrNoTerminal is returned when standard input is no terminal.
var ErrNoTerminal = errors.New("standard input is no terminal; look at the session with: glasstty snapshot session_id=…")
