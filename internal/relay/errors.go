package relay

import "errors"

// ErrNoServer is returned by Options.Dial when there is no server.
var ErrNoServer = errors.New("no server")

// errClient says that the client takes no more messages.
var errClient = errors.New("the client is gone")
