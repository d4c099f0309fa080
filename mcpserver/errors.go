package mcpserver

import (
	"context"
	"errors"
	"fmt"

	"github.com/glasstty/glasstty/emulator"
)

// errStopping is why calls end when the Server stops.
var errStopping = errors.New("the server is stopping; its sessions end with it")

// sentence renders err for the model: the trouble, then the next step.
func sentence(ctx context.Context, err error) string {
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	if errors.Is(err, context.Canceled) {
		return "the client cancelled this call; the session goes on"
	}
	// Package session's errors name the next step themselves.
	if errors.Is(err, emulator.ErrMouseOff) {
		return fmt.Sprintf("%v; use send_keys instead", err)
	}
	return valid(err.Error())
}
