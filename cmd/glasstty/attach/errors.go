package attach

import "errors"

// ErrEnded is returned when the session's program has ended, or the session is
// gone.
var ErrEnded = errors.New("the session has ended")

// ErrLost is returned when the connection to the server is lost.
var ErrLost = errors.New("the server is gone")

// ErrUnanswered is returned when the person detaches and the last input has no answer.
var ErrUnanswered = errors.New("what was typed last is not answered: the program does not take input, or its server does not answer")

// ErrSelf is returned when the session is the one that this program runs in.
var ErrSelf = errors.New("this terminal is that session itself: attach from another")

// ErrDumb is returned when, according to TERM, the terminal cannot position its cursor.
var ErrDumb = errors.New("this terminal cannot be drawn on (TERM is dumb, or not set); look at a session with: glasstty snapshot session_id=…")

// ErrNoTerminal is returned when standard input is not a terminal.
var ErrNoTerminal = errors.New("standard input is not a terminal; look at the session with: glasstty snapshot session_id=…")
