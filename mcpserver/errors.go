package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/glasstty/glasstty/emulator"
	"github.com/glasstty/glasstty/session"
)

// errStopping is why calls end when the Server stops.
var errStopping = errors.New("the server is stopping; its sessions end with it")

// nextSteps says what a model can do about each error of package session.
var nextSteps = []struct {
	err  error
	next string
}{
	{session.ErrNoSession, "call list_sessions"},
	{session.ErrAmbiguous, "use its id, which list_sessions shows"},
	{session.ErrExited, "read what is left with read_output, or begin anew with start_process"},
	{session.ErrRunning, "call terminate_process first, with delete true to do both"},
	{session.ErrNoReader, "call register_reader, or use reader_id 0"},
	{session.ErrInputFull, "look with snapshot, wake it with send_keys ctrl+c or ctrl+q, then type again"},
	{session.ErrTooMany, "end some with terminate_process delete true, or unregister_reader"},
	{session.ErrClosed, "the server must be started again"},
	{emulator.ErrMouseOff, "use send_keys instead"},
}

// sentence renders err for the model: the trouble, then the next step.
func sentence(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		return "the client cancelled this call; the session goes on"
	}
	for _, s := range nextSteps {
		if errors.Is(err, s.err) {
			return fmt.Sprintf("%v; %s", err, s.next)
		}
	}
	return err.Error()
}
