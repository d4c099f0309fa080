package mcpserver

import (
	"context"
	"errors"
)

// errWithin is returned to a program in a session of this server that tries to confirm held
// input. Such a program obeys the model, and the model may not confirm alone.
var errWithin = errors.New("this program runs in a session of this server, and may not confirm held input: " +
	"the client that drives the sessions may, or a person on the live page (glasstty link)")

// within reports whether the call comes from a program in one of the sessions.
func (s *Server) within(ctx context.Context) bool {
	return s.opt.Within != nil && s.opt.Within(ctx)
}
