package attach

import "errors"

// ErrEnded is returned when the session's program has ended, or the session was deleted.
var ErrEnded = errors.New("the session has ended")

// ErrLost is returned when the connection to the server is lost.
var ErrLost = errors.New("the server is gone")

// ErrUnanswered is returned when the person detaches and the server does not answer all input in time.
var ErrUnanswered = errors.New("the last input was not confirmed: the program does not read its input, or the server does not answer")

// ErrSelf is returned when this program runs in the session to which it would attach.
var ErrSelf = errors.New("this terminal runs in that session; attach from another terminal")

// ErrDumb is returned when, according to TERM, the terminal cannot position its cursor.
var ErrDumb = errors.New("this terminal cannot position its cursor (TERM is dumb or not set); look at a session with: glasstty snapshot session_id=…")

// ErrNoTerminal is returned when standard input is not a terminal.
var ErrNoTerminal = errors.New("standard input is not a terminal; look at the session with: glasstty snapshot session_id=…")
