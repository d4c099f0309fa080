package relay

import "errors"

// errClient says that the client takes no more messages.
var errClient = errors.New("the client is gone")
