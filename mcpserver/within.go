package mcpserver

import (
	"context"
	"errors"
)

// errWithin is returned to a program that runs in a session of this server and would
// allow what is held: it does what the model types, whose word is not enough.
var errWithin = errors.New("this program runs in a session of this server, and may not confirm what is held: " +
	"the client that drives the sessions may, or a person on the live page (glasstty link)")

// within reports whether the call comes from a program in one of the sessions.
func (c *call) within(ctx context.Context) bool {
	return c.srv.opt.Within != nil && c.srv.opt.Within(ctx)
}
